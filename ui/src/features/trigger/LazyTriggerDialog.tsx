import { lazy, Suspense, type ComponentProps } from "react";

/** With a form for all kinds of params: not needed for the first look. */
const Dialog = lazy(() => import("./TriggerDialog").then(({ TriggerDialog: component }) => ({ default: component })));

/** Asks for a run. */
export function TriggerDialog(props: ComponentProps<typeof Dialog>) {
  return (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  );
}
