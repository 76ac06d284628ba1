import { expect, test } from 'vitest'
import {
  mayDo,
  missingRights,
} from '../../../../../src/drivers/kubernetes/preflight/rights/allowed-rights.ts'
import { neededRights } from '../../../../../src/drivers/kubernetes/preflight/rights/needed-rights.ts'
import { rightsFindings } from '../../../../../src/drivers/kubernetes/preflight/rights/rights-findings.ts'
import { HostWithRules } from '../host-with-rules.ts'

const SERVICES = [{ group: '', resource: 'services' }]
const NEEDED = neededRights(SERVICES)
const OPTIONS = { namespace: 'team-a', signal: new AbortController().signal }

test.for([
  [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, true],
  [{ verbs: ['get', 'create'], apiGroups: [''], resources: ['pods/portforward'] }, true],
  [{ verbs: ['*'], apiGroups: [''], resources: ['*/portforward'] }, true],
  [{ verbs: ['*'], apiGroups: [''], resources: ['pods'] }, false],
  [{ verbs: ['get'], apiGroups: [''], resources: ['*'] }, false],
  [{ verbs: ['*'], apiGroups: ['apps'], resources: ['*'] }, false],
  [{ verbs: ['*'], apiGroups: [''], resources: ['*'], resourceNames: ['one'] }, false],
] as const)('applies rules as the host does: %j', async ([rule, isGiven]) => {
  const right = { verb: 'create', group: '', resource: 'pods/portforward', isVital: true }
  const host = new HostWithRules({ rules: [rule] })

  expect(await missingRights(host, [right], OPTIONS)).toEqual(isGiven ? [] : [right])
  expect(host.asked).toEqual([])
})

test('checks each right that no rule grants when another authorizer may', async () => {
  const host = new HostWithRules({
    rules: [{ verbs: ['*'], apiGroups: [''], resources: ['services', 'secrets', 'pods'] }],
    isIncomplete: true,
    allows: ({ resource, subresource }) => resource === 'pods' && subresource === 'log',
  })

  const missing = await missingRights(host, NEEDED, OPTIONS)

  expect(missing.map(({ resource, verb }) => `${verb} ${resource}`)).toContain('get leases')
  expect(missing.filter(({ resource }) => resource === 'pods/log')).toEqual([])
  expect(host.asked).toContainEqual({
    namespace: 'team-a',
    verb: 'get',
    group: '',
    resource: 'pods',
    subresource: 'log',
  })
  expect(host.asked.filter(({ resource }) => resource === 'services')).toEqual([])
})

test('checks once whether the user may do everything', async () => {
  const host = new HostWithRules({ rules: [], isIncomplete: true, allows: () => true })

  expect(await missingRights(host, NEEDED, OPTIONS)).toEqual([])
  expect(host.asked).toHaveLength(1)
})

test('checks a right in the whole cluster', async () => {
  const host = new HostWithRules({ allows: ({ namespace }) => namespace === undefined })
  const right = { verb: 'create', group: '', resource: 'namespaces' }

  expect(await mayDo(host, right, { signal: OPTIONS.signal })).toBe(true)
  expect(await mayDo(host, right, OPTIONS)).toBe(false)
})

test('reports missing rights, with the command that grants all needed ones', () => {
  const missing = NEEDED.filter(
    ({ resource, verb }) => resource === 'services' && verb !== 'get' && verb !== 'list',
  )

  expect(rightsFindings({ needed: NEEDED, missing }, { namespace: 'team-a' })).toEqual([
    {
      subject: 'rights',
      level: 'problem',
      message: 'you may not create, patch services in namespace "team-a"',
      hint: expect.stringMatching(
        /^ask an administrator to grant them: kubectl -n team-a create role vplane --verb=get,\S+ --resource=services,secrets,leases\.coordination\.k8s\.io,pods,pods\/portforward,\S+ && kubectl -n team-a create rolebinding vplane --role=vplane --user=USER$/,
      ),
    },
  ])
})

test('only warns of rights that the creation of a plane does not need', () => {
  const missing = NEEDED.filter(({ isVital }) => !isVital)

  expect(rightsFindings({ needed: NEEDED, missing }, { namespace: 'team-a' })).toMatchObject([
    { level: 'warning', message: expect.stringContaining('you may not delete services') },
  ])
})

test('needs no right twice', () => {
  const twice = neededRights([...SERVICES, ...SERVICES, { group: '', resource: 'secrets' }])
  const names = twice.map(({ group, resource, verb }) => `${verb} ${resource}.${group}`)

  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(
    expect.arrayContaining([
      'patch services.',
      'update secrets.',
      'update leases.coordination.k8s.io',
    ]),
  )
})
