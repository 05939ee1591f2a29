import { useQuery } from "@tanstack/react-query";
import type { CSSProperties, ReactNode } from "react";

import { calendarQuery, comingQuery } from "~/api/dagQueries";
import { Button } from "~/components/Button";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Toolbar } from "~/components/Toolbar";
import { useSettings } from "~/lib/settings";
import { clockChange } from "~/lib/zoned";

import { clockWords, type Counts, days, look, range, shifted, weeks, type When, words } from "./calendar.model";
import styles from "./Calendar.module.css";

const months = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" }).format(Date.UTC(2026, month, 1)),
);
const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

interface Props {
  dagId: string;
  when: When;
  onShow: (when: When) => void;
  /** A link to the runs of a day. */
  link: (day: string, content: ReactNode, title: string) => ReactNode;
}

/** When a DAG ran, and when it is going to. */
export function Calendar({ dagId, when, onShow, link }: Props) {
  const { zone } = useSettings();
  const by = when.month === undefined ? "day" : "hour";
  const shown = { ...range(when), zone, by } as const;
  const { data, error } = useQuery(calendarQuery(dagId, shown));
  const { data: coming } = useQuery(comingQuery(dagId, shown));
  if (error) return <Failed title="The calendar could not be loaded" error={error} />;
  const toCome = new Map(Object.entries(coming?.spans ?? {}));
  const spans: Partial<Record<string, Counts>> = data?.spans ?? {};
  const title = when.month === undefined ? String(when.year) : `${months[when.month - 1] ?? ""} ${when.year}`;
  return (
    <>
      <Toolbar>
        <Button
          aria-label="Before"
          onClick={() => {
            onShow(shifted(when, -1));
          }}
        >
          ←
        </Button>
        <h2 className={styles.title}>{title}</h2>
        <Button
          aria-label="After"
          onClick={() => {
            onShow(shifted(when, 1));
          }}
        >
          →
        </Button>
        {when.month !== undefined && (
          <Button
            onClick={() => {
              onShow({ year: when.year, month: undefined });
            }}
          >
            Whole year
          </Button>
        )}
        <Legend zone={zone} />
      </Toolbar>
      <ShownUntil until={coming?.until} />
      <div className={styles.frame} aria-busy={data === undefined}>
        {when.month === undefined ? (
          <Year year={when.year} spans={spans} toCome={toCome} onShow={onShow} link={link} />
        ) : (
          <Hours year={when.year} month={when.month} spans={spans} toCome={toCome} link={link} />
        )}
      </div>
    </>
  );
}

function ShownUntil({ until }: { until: string | null | undefined }) {
  if (!until) return null;
  return (
    <p className={styles.until}>
      It runs so often that what is to come is shown only until <Moment at={until} exact />.
    </p>
  );
}

function Legend({ zone }: { zone: string }) {
  return (
    <ul className={styles.legend} aria-label="Colours" data-push>
      {["success", "failed", "running", "queued"].map((state) => (
        <li key={state} data-state={state}>
          <span className={styles.mark} data-look="" /> {state}
        </li>
      ))}
      <li>
        <span className={styles.mark} data-coming="" /> to come
      </li>
      <li>
        <span className={styles.mark} data-clocks="" /> clocks change
      </li>
      <li>{zone}</li>
    </ul>
  );
}

interface SpansProps {
  year: number;
  spans: Partial<Record<string, Counts>>;
  toCome: Map<string, number>;
  link: Props["link"];
}

function Year({ year, spans, toCome, onShow, link }: SpansProps & Pick<Props, "onShow">) {
  return (
    <div className={styles.year}>
      {months.map((name, number) => (
        <section key={name} aria-label={`${name} ${year}`}>
          <h3>
            <button
              type="button"
              title="By hours"
              onClick={() => {
                onShow({ year, month: number + 1 });
              }}
            >
              {name}
            </button>
          </h3>
          <table>
            <tbody>
              {weeks(year, number + 1).map((week, row) => (
                <tr key={row}>
                  {week.map((day, column) => (
                    <td key={column}>
                      {day !== undefined && <Span span={day} spans={spans} toCome={toCome} link={link} />}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </div>
  );
}

function Hours({ year, month, spans, toCome, link }: SpansProps & { month: number }) {
  return (
    <table className={styles.hours} aria-label="Runs by hour">
      <thead>
        <tr>
          <th scope="col">Day</th>
          {hours.map((hour) => (
            <th key={hour} scope="col">
              {hour}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days(year, month).map((day) => (
          <tr key={day}>
            <DayHead day={day} />
            {hours.map((hour) => (
              <td key={hour}>
                <Span span={`${day}T${hour}`} spans={spans} toCome={toCome} link={link} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is done to the clocks on a day of the chosen zone. */
function useClocks(day: string | undefined): string | undefined {
  const { zone } = useSettings();
  return day === undefined ? undefined : clockWords(clockChange(day, zone));
}

function DayHead({ day }: { day: string }) {
  const clocks = useClocks(day);
  return (
    <th scope="row" title={clocks} data-clocks={clocks === undefined ? undefined : ""}>
      {day.slice(8)}
      {clocks !== undefined && <span className={styles.clocks}>, {clocks}</span>}
    </th>
  );
}

function titleOf(span: string, runs: string, clocks: string | undefined): string {
  const told = clocks === undefined ? runs : `${runs}; ${clocks}`;
  return `${span.replace("T", " ")}${span.length === 10 ? "" : "h"}: ${told}`;
}

function Span({ span, spans, toCome, link }: Omit<SpansProps, "year"> & { span: string }) {
  const counts = spans[span];
  const next = toCome.get(span) ?? 0;
  const shown = counts && look(counts);
  const isDay = span.length === 10;
  const label = isDay ? String(Number(span.slice(8))) : "";
  const clocks = useClocks(isDay ? span : undefined);
  const title = titleOf(span, words(counts, next), clocks);
  const mark = (
    <span
      className={styles.mark}
      data-state={shown?.state}
      data-look={shown && ""}
      data-coming={next > 0 && !shown ? "" : undefined}
      data-clocks={clocks && ""}
      style={shown && ({ "--share": `${shown.share}%`, "--rest": `var(--${shown.rest})` } as CSSProperties)}
    >
      {label}
    </span>
  );
  return shown ? link(span.slice(0, 10), mark, title) : <span title={title}>{mark}</span>;
}
