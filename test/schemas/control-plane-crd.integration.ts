import type { UserSpec } from '../../src/control-plane/spec/spec.ts'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { EVERYTHING } from '../manifests/variants.ts'
import { type Cli, createCli } from '../support/cli/cli.ts'

const SQLITE: UserSpec = { store: { kine: { sqlite: {} } } }
const POSTGRES = { host: 'db.example.com', credentialsSecret: 'owner' }

describe('a plane with the CRD of ControlPlanes', () => {
  let cli: Cli
  const kubectl = (args: readonly string[], input?: string) =>
    cli.run(['connect', 'dev', '--', 'kubectl', ...args], input === undefined ? {} : { input })
  const apply = (name: string, spec: object) =>
    kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({
        apiVersion: 'vplane.dev/v1beta1',
        kind: 'ControlPlane',
        metadata: { name, namespace: 'default' },
        spec,
      }),
    )
  const patch = (name: string, fields: object, ...flags: string[]) =>
    kubectl(['patch', 'vcp', name, '--type=merge', `--patch=${JSON.stringify(fields)}`, ...flags])

  beforeAll(async () => {
    cli = await createCli()
    const folder = join(packageRoot(), 'schemas/crds')
    const { code, stderr } = await cli.run(['create', 'dev', '--crd', folder])
    expect(code, stderr).toBe(0)
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([
    ['empty', {}],
    ['everything', EVERYTHING],
    ['sqlite', { ...SQLITE, images: { kine: 'mirror.test/kine@sha256:c0ffee' } }],
  ] as const)('stores a spec with %s as it is', async ([name, spec]) => {
    const { stderr, stdout } = await apply(name, spec)

    expect(stdout, stderr).toBe(`controlplane.vplane.dev/${name} created\n`)
    const stored = await kubectl(['get', 'vcp', name, '-o', 'jsonpath={.spec}'])
    expect(JSON.parse(stored.stdout)).toEqual(spec)
  })

  test.for([
    ['an unknown field', { etcd: { size: 3 } }, 'unknown field "spec.etcd.size"'],
    ['a value of another type', { ephemeral: 'yes' }, 'spec.ephemeral: Invalid value'],
    ['a value that is none of those known', { preset: 'huge' }, 'supported values: "nano"'],
    ['a number out of range', { etcd: { goGc: 5 } }, 'greater than or equal to 10'],
    ['idle and ephemeral', { idle: '30m', ephemeral: true }, 'a pause would delete its data'],
    ['a scheduler without nodes', { sync: { scheduler: 'virtual' } }, 'needs "sync.nodes"'],
    ['settings of a missing scheduler', { sync: {}, scheduler: {} }, 'this plane has none'],
    ['policies without pods', { policies: {} }, 'this plane runs no pods'],
    [
      'a credential of a user and a ServiceAccount',
      { credentials: { flux: { user: 'flux', serviceAccount: 'default/flux' } } },
      'needs either "user" or "serviceAccount"',
    ],
    ['a credential of nobody', { credentials: { flux: {} } }, 'needs either "user"'],
    [
      'groups of a ServiceAccount',
      { credentials: { flux: { serviceAccount: 'default/flux', groups: ['a'] } } },
      'the groups of a ServiceAccount are fixed',
    ],
    ['a user of Kubernetes', { credentials: { flux: { user: 'system:admin' } } }, 'is reserved'],
    [
      'an address that is not exposed',
      { credentials: { flux: { user: 'flux', address: 'exposed' } } },
      'need "expose"',
    ],
    ['no store', { store: { resources: {} } }, 'must have one of "etcd" and "kine"'],
    ['two stores', { store: { etcd: {}, kine: { sqlite: {} } } }, 'must have one of'],
    [
      'an etcd of others',
      {
        store: {
          etcd: {
            shared: { endpoints: ['https://etcd.test:2379'], root: { credentialsSecret: 'owner' } },
          },
        },
      },
      'the operator uses no etcd of others',
    ],
    [
      'backups of sqlite',
      { ...SQLITE, backup: { schedule: 'daily', store: 's3://backups' } },
      'which has no backups',
    ],
    ['backups without a store', { backup: { schedule: 'daily' } }, 'store'],
  ] as const)('refuses %s', async ([_what, spec, reason]) => {
    const { code, stderr } = await apply('wrong', spec)

    expect(code).toBe(1)
    expect(stderr).toContain(reason)
  })

  test('refuses what would change a field that stays, and lets it be left out', async () => {
    const spec = { serviceRange: '10.96.0.0/16', sync: { serviceRange: '10.0.0.0/16' } }
    expect((await apply('fixed', spec)).code).toBe(0)
    const resolved = { ...spec, sync: undefined, host: { sync: spec.sync }, other: { kept: true } }
    const noted = await patch('fixed', { status: { resolved } }, '--subresource=status')
    expect(noted.code, noted.stderr).toBe(0)

    const changed = await patch('fixed', { spec: { serviceRange: '10.97.0.0/16' } })
    const inSync = await patch('fixed', { spec: { sync: { serviceRange: '10.1.0.0/16' } } })
    const off = { enabled: false, serviceRange: '10.1.0.0/16' }
    const switchedOff = await patch('fixed', { spec: { sync: off } })
    const leftOut = await patch('fixed', { spec: { serviceRange: null } })

    expect(changed.stderr).toContain('"serviceRange" stays as it was at the start')
    expect(inSync.stderr).toContain('"sync.serviceRange" stays as it was at the start')
    expect(switchedOff.code, switchedOff.stderr).toBe(0)
    expect(leftOut.code, leftOut.stderr).toBe(0)
    const kept = await kubectl(['get', 'vcp', 'fixed', '-o', 'jsonpath={.status.resolved.other}'])
    expect(kept.stdout).toBe('{"kept":true}')
  })

  test.for([
    ['sqlite', SQLITE, { etcd: {}, kine: null }],
    ['etcd', {}, { kine: { sqlite: {} } }],
    [
      'one server',
      { store: { kine: { postgres: POSTGRES } } },
      { kine: { postgres: { host: 'db2.example.com' } } },
    ],
    [
      'a database',
      { store: { kine: { postgres: POSTGRES } } },
      { kine: { postgres: null, sqlite: {} } },
    ],
  ] as Array<[string, UserSpec, object]>)(
    'refuses to change the store from %s, and lets its resources change',
    async (given) => {
      const [name, spec, other] = given
      const stored = `store-${name.replace(' ', '-')}`
      expect((await apply(stored, spec)).code).toBe(0)
      const noted = await patch(stored, { status: { resolved: spec } }, '--subresource=status')
      expect(noted.code, noted.stderr).toBe(0)

      const changed = await patch(stored, { spec: { store: other } })
      const resources = { limits: { memory: '1Gi' } }
      const larger = await patch(stored, { spec: { store: { ...spec.store, resources } } })
      const leftOut = await patch(stored, { spec: { store: null } })

      expect(changed.stderr).toContain('"store" stays as it was at the start')
      expect(larger.code, larger.stderr).toBe(name === 'etcd' ? 1 : 0)
      expect(leftOut.code, leftOut.stderr).toBe(0)
    },
  )

  test('shows and scales one as a Deployment', async () => {
    expect((await apply('scaled', { apiServer: { replicas: 1 } })).code).toBe(0)
    const ready = {
      type: 'Ready',
      status: 'False',
      reason: 'Starting',
      message: 'etcd is not ready yet',
      lastTransitionTime: '2026-06-01T12:00:00Z',
    }
    const status = { version: '1.36.3', conditions: [ready], replicas: 1, selector: 'a=b' }
    await patch('scaled', { status }, '--subresource=status')

    const scaled = await kubectl(['scale', 'vcp', 'scaled', '--replicas', '2'])
    const shown = await kubectl(['get', 'vcp', 'scaled'])
    const all = await kubectl(['get', 'vplane', '--output=name'])

    expect(scaled.stdout, scaled.stderr).toBe('controlplane.vplane.dev/scaled scaled\n')
    expect(shown.stdout).toMatch(
      /^NAME\s+VERSION\s+READY\s+STATUS\s+AGE\nscaled\s+1\.36\.3\s+False\s+Starting\s/,
    )
    expect(all.stdout).toContain('controlplane.vplane.dev/scaled\n')
  })
})
