import { expect, test } from 'vitest'
import { connectedLines } from '../../../src/cli/output/connected-lines.ts'

const DEV = { name: 'dev', driver: 'kubernetes', namespace: 'team-a' } as const
const CONNECTED = { plane: DEV, context: 'vplane_dev', file: '/home/a/.kube/config' }

test('goes back from the current context without a name', () => {
  expect(connectedLines({ ...CONNECTED, isCurrent: true }, 'vplane')).toEqual([
    'The current context of /home/a/.kube/config is "vplane_dev".',
    'Go back with: vplane disconnect',
  ])
})

test('goes back from another context by the words that mean one plane alone', () => {
  const outcome = { ...CONNECTED, otherFile: '/tmp/my config', isCurrent: false }

  expect(connectedLines(outcome, 'vplane')).toEqual([
    'Added the context "vplane_dev" to /home/a/.kube/config: kubectl --context vplane_dev',
    "Go back with: vplane disconnect dev --namespace team-a --kubeconfig-file '/tmp/my config'",
  ])
})
