/** The graph as a file. */
import { saveFile } from "~/lib/saveFile";
import { taskStates } from "~/lib/states";

import type { Paint, Picture } from "./image.model";

/** More pixels than these on a side are too many for browsers. */
const mostPixels = 16_000;

/** The colours of the theme that is shown, as any program knows them. */
export function paintOf(page: HTMLElement): Paint {
  const probe = page.appendChild(document.createElement("span"));
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const paint = {
    card: colour("card"),
    ground: colour("ground"),
    ink: colour("ink"),
    faint: colour("faint"),
    line: colour("line"),
    edge: colour("queued"),
    states: new Map(taskStates.map((state) => [state as string, colour(state)])),
  };
  probe.remove();
  return paint;
}

export function saveSvg({ svg }: Picture, name: string): void {
  saveFile(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`);
}

/** With two pixels for each of the screen, as far as browsers can. */
export async function savePng({ svg, width, height }: Picture, name: string): Promise<void> {
  const scale = Math.min(2, mostPixels / Math.max(width, height, 1));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(width * scale));
  canvas.height = Math.max(1, Math.floor(height * scale));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
  if (blob === null) throw new Error("The browser could not paint so large a picture: take the SVG.");
  saveFile(blob, `${name}.png`);
}
