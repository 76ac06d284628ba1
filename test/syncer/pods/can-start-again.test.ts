import { expect, test } from 'vitest'
import { canStartAgain } from '../../../src/syncer/pods/can-start-again.ts'
import { virtualObject } from '../translate/some-objects.ts'

test.for([
  ['Always', 0, undefined, true],
  ['OnFailure', 1, undefined, true],
  ['OnFailure', 0, undefined, false],
  ['Never', 1, undefined, false],
  ['Never', 0, 'Always', true],
  [undefined, 0, undefined, true],
] as const)(
  'restart policy %s, exit code %i, and %s of the container: %s',
  ([restartPolicy, exitCode, ofContainer, expected]) => {
    for (const [list, statuses] of LISTS) {
      const container = { name: 'a', restartPolicy: ofContainer }
      const status = { name: 'a', state: { terminated: { exitCode } } }

      const pod = virtualObject('Pod', {
        spec: { restartPolicy, [list]: [container] },
        status: { [statuses]: [status] },
      })

      expect(canStartAgain(pod)).toBe(expected)
    }
  },
)

test('a pod of which nothing has ended may start again', () => {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'a' }, { name: 'b' }] }
  const containerStatuses = [{ name: 'a', state: { running: {} } }]

  expect(canStartAgain(virtualObject('Pod', { spec, status: { containerStatuses } }))).toBe(true)
})

const LISTS = [
  ['containers', 'containerStatuses'],
  ['initContainers', 'initContainerStatuses'],
] as const
