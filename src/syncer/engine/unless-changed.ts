import { unlessStatus } from '../../kube/kube-error.ts'

/** The answer to a write that is based on a cached object; undefined when that is outdated: the watch starts a new try. */
export function unlessChanged<Answer>(writing: Promise<Answer>): Promise<Answer | undefined> {
  return unlessStatus([404, 409], writing)
}
