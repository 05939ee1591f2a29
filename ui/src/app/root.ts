import { createRootRoute } from "@tanstack/react-router";

import { NothingHere, Shell } from "./shell";
import { StumbledPage } from "~/components/Stumbled";

export const root = createRootRoute({ component: Shell, errorComponent: StumbledPage, notFoundComponent: NothingHere });
