import { expect, test } from 'vitest'
import { clusterKubectl, kubectl } from '../../../../src/drivers/kubernetes/context/kubectl-hint.ts'

test.for([
  [{ namespace: 'team-a' }, 'kubectl -n team-a get pods'],
  [{ namespace: 'team-a', hostContext: 'kind' }, 'kubectl --context kind -n team-a get pods'],
  [
    { namespace: 'team-a', hostContext: "it's prod" },
    `kubectl --context 'it'\\''s prod' -n team-a get pods`,
  ],
] as const)('returns a command to paste: %j', ([place, command]) => {
  expect(kubectl(place, 'get pods')).toBe(command)
})

test('returns a command for the whole cluster', () => {
  expect(clusterKubectl({ hostContext: 'kind' })).toBe('kubectl --context kind')
})
