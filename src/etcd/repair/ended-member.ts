import { type Damage, damageIn } from './data-damage.ts'

/** The container of a member, as the host says it is. */
export interface MemberContainer {
  ready?: boolean
  restartCount?: number
  state?: { terminated?: object; running?: object; waiting?: { reason?: string } }
}

/** The last lines of its log: of the run that goes on or has just ended, or of the one before. */
export type ReadMemberLog = (run: 'last' | 'previous') => Promise<readonly string[]>

export interface EndedMemberOptions {
  readLog: ReadMemberLog
  /** Its container as it is now; undefined when it is gone. */
  readAgain: () => Promise<MemberContainer | undefined>
}

/**
 * What the log of a member that has ended says of its data.
 *
 * @param container as it was seen; the host may have begun it again since, and then the log that is asked for last is that of
 *   a run that has said nothing yet
 */
export async function damageOfEnded(
  container: MemberContainer,
  { readAgain, readLog }: EndedMemberOptions,
): Promise<Damage | undefined> {
  const { ready = false, restartCount = 0, state = {} } = container
  const hasEnded = state.terminated !== undefined || restartCount > 0
  if (ready || !hasEnded) {
    return undefined
  }
  const damage = damageIn(await readLog('last'))
  if (damage !== undefined) {
    return damage
  }
  if (state.running !== undefined) {
    return damageIn(await readLog('previous'))
  }
  const now = await readAgain()
  const hasBegunAgain = (now?.restartCount ?? 0) > restartCount
  return now && hasBegunAgain ? damageOfEnded(now, { readAgain, readLog }) : undefined
}
