import styles from "./Toggle.module.css";

interface Props {
  isOn: boolean;
  label: string;
  /** On the tooltip, where that is not the label. */
  title?: string;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
}

export function Toggle({ isOn, label, title = label, isDisabled = false, onChange }: Props) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      title={title}
      disabled={isDisabled}
      className={styles.toggle}
      onClick={() => {
        onChange(!isOn);
      }}
    >
      <span />
    </button>
  );
}
