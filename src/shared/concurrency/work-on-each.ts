export type Outcome<Item, Result> =
  | { item: Item; state: 'done'; result: Result }
  /** Interrupted: the signal had fired when its work failed. */
  | { item: Item; state: 'failed' | 'interrupted'; error: unknown }
  | { item: Item; state: 'not-started' }

export interface WorkOptions<Item, Result> {
  /** How many are worked on at the same time. */
  parallel: number
  signal: AbortSignal
  /** Begin no more once one has failed. @default false */
  stopsAfterFailure?: boolean | undefined
  /** Called when the work on an item has ended. */
  onEnd?: (outcome: Outcome<Item, Result>) => void
}

/**
 * Works on all items, some of them at the same time, and returns what became of each, in their order. A failure does not
 * stop the others, unless `stopsAfterFailure` is set. Once the signal has fired, no more begin.
 */
export async function workOnEach<Item, Result>(
  items: readonly Item[],
  { onEnd, parallel, signal, stopsAfterFailure = false }: WorkOptions<Item, Result>,
  work: (item: Item) => Promise<Result>,
): Promise<Array<Outcome<Item, Result>>> {
  const outcomes = items.map((item): Outcome<Item, Result> => ({ item, state: 'not-started' }))
  const queue = items.entries()
  let isStopped = false
  const workOnNext = async () => {
    for (const [index, item] of queue) {
      if (signal.aborted || isStopped) {
        return
      }
      const outcome = await work(item).then(
        (result): Outcome<Item, Result> => ({ item, state: 'done', result }),
        (error: unknown): Outcome<Item, Result> => ({
          item,
          state: signal.aborted ? 'interrupted' : 'failed',
          error,
        }),
      )
      outcomes[index] = outcome
      isStopped ||= stopsAfterFailure && outcome.state !== 'done'
      onEnd?.(outcome)
    }
  }
  await Promise.all(Array.from({ length: parallel }, workOnNext))
  return outcomes
}
