import { isVplaneError } from '../shared/errors.ts'

/** Whether an error says that a revision does not exist any more; etcd and kine use the same words. */
export function isCompacted(error: unknown): boolean {
  return says(error, 'required revision has been compacted')
}

/** Whether an error says that a revision does not exist yet. */
export function isFuture(error: unknown): boolean {
  return says(error, 'required revision is a future revision')
}

function says(error: unknown, words: string): boolean {
  return isVplaneError(error, 'FAILED') && error.message.includes(words)
}
