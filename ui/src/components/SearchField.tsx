import styles from "./SearchField.module.css";

interface Props {
  /** What is looked for, such as “Search pools”. */
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** Where to type what a page shall show of what it has. */
export function SearchField({ label, value, onChange }: Props) {
  return (
    <input
      type="search"
      className={styles.search}
      placeholder={label}
      aria-label={label}
      value={value}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    />
  );
}
