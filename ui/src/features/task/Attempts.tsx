import { useQuery } from "@tanstack/react-query";

import { attemptsQuery } from "~/api/instanceQueries";
import type { TaskPlace } from "~/api/queries";
import { Button } from "~/components/Button";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import table from "~/components/PagedTable.module.css";
import { Skeleton } from "~/components/Skeleton";
import { State } from "~/components/State";
import { duration } from "~/lib/time";

import { usedBy } from "./task.model";

interface Props {
  place: TaskPlace;
  onLog: (tryNumber: number) => void;
}

/** What each attempt used, and why it ended. */
export function Attempts({ place, onLog }: Props) {
  const { data, error } = useQuery(attemptsQuery(place));
  if (error) return <Failed title="The attempts could not be loaded" error={error} />;
  if (data === undefined) return <Skeleton />;
  if (data.attempts.length === 0)
    return (
      <Notice title="It has not begun, so there were no attempts">
        <p>“Why?” above says what it waits for.</p>
      </Notice>
    );
  return (
    <div className={table.frame}>
      <table className={table.table} aria-label="Attempts">
        <thead>
          <tr>
            {["Attempt", "Try", "State", "Started", "Duration", "CPU", "Memory", "Host", "Why it ended", "Log"].map(
              (title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {data.attempts.map((attempt) => {
            const { cpu, memory } = usedBy(attempt);
            return (
              <tr key={attempt.attempt}>
                <td>{attempt.attempt}</td>
                <td>{attempt.try_number}</td>
                <td>
                  <State state={attempt.state} />
                </td>
                <td>
                  <Moment at={attempt.start_date} exact />
                </td>
                <td>{attempt.duration === null ? "" : duration(attempt.duration)}</td>
                <td>{cpu}</td>
                <td>{memory}</td>
                <td>{attempt.hostname}</td>
                <td>{attempt.reason}</td>
                <td>
                  <Button
                    aria-label={`Log of try ${attempt.try_number}`}
                    onClick={() => {
                      onLog(attempt.try_number);
                    }}
                  >
                    Log
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
