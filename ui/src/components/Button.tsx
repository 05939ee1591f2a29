import type { ButtonHTMLAttributes } from "react";

import styles from "./Button.module.css";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "deed" | "plain" | "danger";
}

export function Button({ kind = "plain", className, type = "button", ...rest }: Props) {
  const classes = [styles.button, styles[kind], className].filter(Boolean).join(" ");
  return <button {...rest} type={type} className={classes} />;
}
