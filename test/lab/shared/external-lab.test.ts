import { expect, test } from 'vitest'
import { withToken } from './external-lab.ts'

test('puts another user into a kubeconfig, and a namespace', () => {
  const text = JSON.stringify({
    apiVersion: 'v1',
    clusters: [{ name: 'c', cluster: { server: 'https://example.com' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'admin', namespace: 'other' } }],
    'current-context': 'x',
    users: [{ name: 'admin', user: { 'client-key-data': 'secret' } }],
  })

  const changed: unknown = JSON.parse(
    withToken(text, { namespace: 'team', token: 'abc', user: 'team-admin' }),
  )

  expect(changed).toEqual({
    apiVersion: 'v1',
    clusters: [{ name: 'c', cluster: { server: 'https://example.com' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'team-admin', namespace: 'team' } }],
    'current-context': 'x',
    users: [{ name: 'team-admin', user: { token: 'abc' } }],
  })
})
