import { expect, test } from 'vitest'
import { checkNamespace } from '../../../../src/drivers/kubernetes/preflight/check-namespace.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { HostWithRules } from './host-with-rules.ts'

const OPTIONS = { namespace: 'team-a', createNamespace: true, signal: new AbortController().signal }

test('accepts an existing namespace', async () => {
  expect(await checkNamespace(new HostWithRules().withTeam(), OPTIONS)).toEqual([])
})

test('warns of a Pod Security level that it does not know', async () => {
  const judge = (level: string) => {
    const host = new HostWithRules().withTeam({ 'pod-security.kubernetes.io/enforce': level })
    return checkNamespace(host, OPTIONS)
  }

  expect(await judge('restricted')).toEqual([])
  expect(await judge('stricter')).toMatchObject([{ subject: 'pod security', level: 'warning' }])
})

test('reports what a namespace that is being deleted waits for', async () => {
  const host = new HostWithRules()
  host.add('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team-a', deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: {
      phase: 'Terminating',
      conditions: [
        { status: 'False', message: 'All content gone' },
        { status: 'True', message: 'Some resources are remaining: games.example.com' },
      ],
    },
  })

  expect((await checkNamespace(host, OPTIONS))[0]).toEqual({
    subject: 'namespace',
    level: 'problem',
    message: '"team-a" is being deleted: Some resources are remaining: games.example.com',
    hint: 'kubectl wait --for=delete namespace/team-a --timeout=60s',
  })
})

test('accepts a missing namespace if the user may create it', async () => {
  const allowed = new HostWithRules({ allows: ({ resource }) => resource === 'namespaces' })

  expect(await checkNamespace(allowed, OPTIONS)).toEqual([])
  expect(await checkNamespace(new HostWithRules(), OPTIONS)).toMatchObject([
    {
      level: 'problem',
      message: 'namespace "team-a" does not exist, and you may not create it',
      hint: [
        'ask an administrator to create it: kubectl create namespace team-a',
        { purpose: 'or use another one', namespace: 'NAMESPACE' },
      ],
    },
  ])
})

test('reports a missing namespace that must not be created', async () => {
  const host = new HostWithRules()

  expect(await checkNamespace(host, { ...OPTIONS, createNamespace: false })).toMatchObject([
    { level: 'problem', message: 'namespace "team-a" does not exist' },
  ])
  expect(host.asked).toEqual([])
})

test('accepts a namespace that the user may not read', async () => {
  const host = new MemoryHostApi(refusing(403, 'forbidden'))

  expect(await checkNamespace(host, OPTIONS)).toEqual([])
})
