import { useNavigate, useParams, useSearch } from "@tanstack/react-router";

import { Code } from "~/features/code/Code";

export function CodeView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const { version, against } = useSearch({ from: "/dags/$dagId" });
  const navigate = useNavigate();
  return (
    <Code
      dagId={dagId}
      version={version}
      against={against}
      onChoose={(chosen) => {
        void navigate({ to: ".", search: (before) => ({ ...before, ...chosen }), replace: true });
      }}
    />
  );
}
