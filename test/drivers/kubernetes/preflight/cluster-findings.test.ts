import { expect, test } from 'vitest'
import { clusterFindings } from '../../../../src/drivers/kubernetes/preflight/cluster-findings.ts'
import { devManifests } from './dev-manifests.ts'
import { HostWithRules } from './host-with-rules.ts'

const OPTIONS = { namespace: 'team-a', signal: new AbortController().signal }
const MANIFESTS = devManifests({ sync: { nodes: true, metrics: false } })
const PROBLEM = {
  subject: 'rights',
  level: 'problem',
  hint: [{ syncNodes: false, syncClasses: false }, 'or ask an administrator for them'],
}

test('sends no request for a plane without cluster-wide objects', async () => {
  const host = new HostWithRules()

  expect(await clusterFindings(host, devManifests({ sync: {} }), OPTIONS)).toEqual([])
  expect(host.requests).toEqual([])
})

test('checks rights in all of the host cluster, and tries the role', async () => {
  const host = new HostWithRules({ allows: ({ namespace }) => namespace === undefined })

  expect(await clusterFindings(host, MANIFESTS, OPTIONS)).toEqual([])
  expect(host.tried.map(({ kind }) => kind)).toEqual(['ClusterRole'])
  expect(host.objects.size).toBe(0)
})

test('names all missing rights, and what to do without them', async () => {
  const host = new HostWithRules({
    allows: ({ resource, verb }) => verb !== 'create' && verb !== 'delete' && resource !== 'nodes',
  })

  expect(await clusterFindings(host, MANIFESTS, OPTIONS)).toEqual([
    {
      ...PROBLEM,
      message:
        'you may not create clusterroles.rbac.authorization.k8s.io, clusterrolebindings.rbac.authorization.k8s.io; get, list, watch nodes in all of the host cluster, which a plane with its nodes or classes requires',
    },
  ])
})

test('names the rights that the user needs in order to grant them to the syncer', async () => {
  const host = new HostWithRules({
    allows: () => true,
    refuses: () => [
      403,
      `clusterroles.rbac.authorization.k8s.io "vplane:team-a:dev:syncer" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list" "watch"]}`,
    ],
  })

  expect(await clusterFindings(host, MANIFESTS, OPTIONS)).toEqual([
    {
      ...PROBLEM,
      message:
        'you may not get, list, watch nodes in all of the host cluster, which a plane with its nodes or classes requires',
    },
  ])
})

test('only warns of rights that a deletion needs', async () => {
  const host = new HostWithRules({ allows: ({ verb }) => verb !== 'delete' })

  expect(await clusterFindings(host, MANIFESTS, OPTIONS)).toMatchObject([
    { level: 'warning', message: expect.stringContaining('you may not delete clusterroles') },
  ])
})

test('fails when the host does not respond', async () => {
  const signal = AbortSignal.abort(new Error('stopped'))
  const host = new HostWithRules({ allows: () => true })

  await expect(clusterFindings(host, MANIFESTS, { ...OPTIONS, signal })).rejects.toThrow('stopped')
})
