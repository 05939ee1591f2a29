import { useNow } from "~/lib/now";
import { useSettings } from "~/lib/settings";
import { distance, instant } from "~/lib/time";

/** An instant: how far away it is, and on its tooltip exactly when, in the chosen zone. */
export function Moment({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  const { zone, dates } = useSettings();
  const now = useNow();
  if (at == null) return <span aria-hidden="true">–</span>;
  const written = instant(at, zone, dates);
  return (
    <time dateTime={at} title={`${written} ${zone}`}>
      {exact ? written : distance(at, now)}
    </time>
  );
}
