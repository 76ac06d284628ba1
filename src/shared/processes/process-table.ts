/** What must be known of the machine's processes. One implementation per platform; nobody else asks which it is on. */
export interface ProcessTable {
  /** Something that differs between two processes with the same id; undefined when none lives. A zombie is dead. */
  startTimeOf(processId: number): string | undefined
  /** Differs between two boots of the machine. */
  bootId(): string
  /**
   * Ids of this user's living processes with a flag whose value begins with `text`: `--flag=text…`. An editor or a pager
   * that was given a file alone is none of them.
   */
  findByArgument(text: string): number[]
}
