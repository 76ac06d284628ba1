import type { PlaneSpec } from '../spec/spec.ts'

/** Whether a plane begins or ceases to run pods. */
export type SyncSwitch = 'on' | 'off'

/** Returns how a change from one spec to another switches `sync`; undefined when it does not. */
export function syncSwitch(
  before: Pick<PlaneSpec, 'host'>,
  after: Pick<PlaneSpec, 'host'>,
): SyncSwitch | undefined {
  const [did, does] = [before, after].map(({ host }) => host?.sync !== undefined)
  if (did === does) {
    return undefined
  }
  return does === true ? 'on' : 'off'
}
