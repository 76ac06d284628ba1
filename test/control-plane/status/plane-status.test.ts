import { expect, test } from 'vitest'
import { pausedReason } from '../../../src/control-plane/status/plane-status.ts'

const SINCE = '2026-11-01T00:00:00.000Z'

test.for([
  [{ isNew: true }, 'it was never started; any use of its context starts it'],
  [{ isNew: true, declaredBy: 'uid-1' }, 'it was never started; its ControlPlane pauses it'],
  [
    { idleSince: SINCE, declaredBy: 'uid-1' },
    /^nobody has used it since .* any use of its context/,
  ],
  [{}, undefined],
] as const)('says why a plane is paused, of %j', ([fields, reason]) => {
  const paused = pausedReason({ isNew: false, spec: {}, ...fields })

  expect(paused.reason).toEqual(reason instanceof RegExp ? expect.stringMatching(reason) : reason)
})
