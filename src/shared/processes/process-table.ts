/** What must be known of the machine's processes. One implementation per platform; nobody else asks which it is on. */
export interface ProcessTable {
  /** Something that differs between two processes with the same id; undefined when none lives. A zombie is dead. */
  startTimeOf(processId: number): string | undefined
  /** Differs between two boots of the machine. */
  bootId(): string
  /**
   * Ids of this user's living processes whose command is wanted: its words, of which those that are `--flag=value` are
   * one each on every platform, whatever the value is.
   */
  findByCommand(isWanted: (words: readonly string[], processId: number) => boolean): number[]
}
