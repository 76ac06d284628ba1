import type { ReplaceableData } from './database-dialect.ts'
import type { KineRow } from './kine-row.ts'

type Answering = <Answer>(work: () => Promise<Answer>) => Promise<Answer>

/** The same data, whose errors are those of its server. Errors of the rows that are loaded stay what they are. */
export function answeringData(data: ReplaceableData, answering: Answering): ReplaceableData {
  return {
    load: async (rows) => {
      let failure: { error: unknown } | undefined
      const watched = async function* (): AsyncGenerator<KineRow, void, void> {
        try {
          yield* rows
        } catch (error) {
          failure = { error }
          throw error
        }
      }
      try {
        await answering(() => data.load(watched()))
      } catch (error) {
        throw failure === undefined ? error : failure.error
      }
    },
    exchange: (former) => answering(() => data.exchange(former)),
    putBack: (former) => answering(() => data.putBack(former)),
    dropFormer: (former) => answering(() => data.dropFormer(former)),
  }
}
