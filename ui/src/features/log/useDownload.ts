/** The whole log as a file. */
import { useState } from "react";

import { reasonOf } from "~/api/client";
import type { TaskPlace } from "~/api/queries";
import { saveFile } from "~/lib/saveFile";

import { type Log, logAddress } from "./useLog";

export interface Download {
  save: () => void;
  /** Why it did not work. */
  problem: string | undefined;
}

export function useDownload({ store }: Log, place: TaskPlace, tryNumber: number): Download {
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    setProblem(undefined);
    try {
      // What is no longer held here, the server has.
      const content = store.first > 1 ? await fromServer(place, tryNumber) : new Blob([...store.texts()]);
      saveFile(content, `${place.dagId}.${place.runId}.${place.taskId}.${tryNumber}.log`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return { save: () => void save(), problem };
}

async function fromServer(place: TaskPlace, tryNumber: number): Promise<Blob> {
  const response = await fetch(logAddress(place, tryNumber), { headers: { Accept: "text/plain" } });
  if (!response.ok) throw new Error(await reasonOf(response));
  return response.blob();
}
