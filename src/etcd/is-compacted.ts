import { VplaneError } from '../shared/errors.ts'

/** Whether an error says that a revision does not exist any more; etcd and kine use the same words. */
export function isCompacted(error: unknown): boolean {
  return (
    error instanceof VplaneError &&
    error.code === 'FAILED' &&
    error.message.includes('required revision has been compacted')
  )
}
