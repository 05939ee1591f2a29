import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import {
  failuresQuery,
  importErrorsQuery,
  pluginErrorsCountQuery,
  requiredActionsCountQuery,
  triggersCountQuery,
  warningsCountQuery,
} from "~/api/around";
import { useMay } from "~/api/permissions";
import { runsNowQuery } from "~/api/queries";

import styles from "./Numbers.module.css";

/** What there is now, each with the page that has more of it. */
export function Numbers() {
  const seesErrors = useMay()("read", "import error").isAllowed;
  const running = useQuery(runsNowQuery("running")).data?.total_entries;
  const queued = useQuery(runsNowQuery("queued")).data?.total_entries;
  const failed = useQuery(failuresQuery).data?.total_runs;
  const errors = useQuery({ ...importErrorsQuery, enabled: seesErrors }).data?.total_entries;
  const seesPlugins = useMay()("read", "plugin").isAllowed;
  const pluginErrors = useQuery({ ...pluginErrorsCountQuery, enabled: seesPlugins }).data;
  const triggers = useQuery(triggersCountQuery).data;
  const actions = useQuery(requiredActionsCountQuery).data;
  const warnings = useQuery(warningsCountQuery).data;
  return (
    <ul className={styles.numbers} aria-label="Now">
      <Number title="Running" number={running} state="running">
        <Link to="/dags" search={{ anyRun: "running" }} aria-label="DAGs that run" />
      </Number>
      <Number title="Queued" number={queued} state="queued">
        <Link to="/dags" search={{ anyRun: "queued" }} aria-label="DAGs with a queued run" />
      </Number>
      <Number title="Failed in 24 h" number={failed} state="failed">
        <Link to="/dags" search={{ anyRun: "failed" }} aria-label="DAGs that failed" />
      </Number>
      <Number title="Ask for people" number={actions} state="awaiting_input">
        <Link to="/required_actions" aria-label="Required actions" />
      </Number>
      <Number title="Triggers wait" number={triggers?.all} state="deferred">
        <Link to="/triggers" aria-label="Triggers" />
      </Number>
      {seesErrors && (
        <Number title="Import errors" number={errors} state="upstream_failed">
          <Link to="/import_errors" aria-label="Import errors" />
        </Number>
      )}
      {seesPlugins && (
        <Number title="Plugin errors" number={pluginErrors} state="upstream_failed">
          <Link to="/plugins" aria-label="Plugins that cannot be read" />
        </Number>
      )}
      <Number title="Warnings" number={warnings} state="up_for_retry">
        <Link to="/warnings" aria-label="Warnings" />
      </Number>
    </ul>
  );
}

interface Props {
  title: string;
  number: number | null | undefined;
  state: string;
  /** Where it leads to: covers all of it. */
  children?: ReactNode;
}

function Number({ title, number, state, children }: Props) {
  return (
    <li data-state={state} data-some={Boolean(number)}>
      <strong>{number ?? "–"}</strong>
      <span>{title}</span>
      {children}
    </li>
  );
}
