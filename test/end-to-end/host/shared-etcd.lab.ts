import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { rangeOverGrpc } from '../../../src/etcd/data/range-over-grpc.ts'
import { deleteKeys } from '../../../src/etcd/shared/delete-keys.ts'
import { ensureUser } from '../../../src/etcd/shared/etcd-users.ts'
import { prefixRange } from '../../../src/etcd/data/prefix-range.ts'
import { sharedEtcdConnection } from '../../../src/etcd/shared/shared-etcd-connection.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { type HostEtcd, startHostEtcd } from '../../support/databases/host-etcd.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const PATIENT = { timeout: 120_000, interval: 250 }
const NEVER = new AbortController().signal
const ROOT = { root: { credentialsSecret: 'owner' } }

/** A plane whose user and role its owner has made. */
const OWNED = { user: 'team-b', prefix: '/planes/owned' }

// In their order: all of them are about one plane, and another one beside it.
describeOnHost('planes in a host namespace with a shared etcd', { shuffle: false }, () => {
  let cli: HostCli
  let host: HostEtcd
  let before: string[]
  let at: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    host = await startHostEtcd(cli)
    await ensureUser(await host.etcd.as('root'), OWNED, NEVER)
    await host.addUser(OWNED.user)
    before = await host.etcd.names()
    at = ['--namespace', host.namespace]
    const spec = host.spec(ROOT, { encryption: { secrets: true }, apiServer: { egress: [] } })
    await cli.ok(['create', 'light', ...at, '--file', spec, '--connect'])
    await cli.kubectlOk(['create', 'configmap', 'kept'])
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  test('has no component for its store, and has its keys below a prefix of its own', async () => {
    const { user } = await facts()
    await untilReady()

    expect((await described()).components.map(({ name }) => name)).toEqual([
      'kube-apiserver',
      'kube-controller-manager',
      'keeper',
    ])
    expect(await cli.ok(['describe', 'light', ...at])).toContain('a shared etcd')
    expect(await cli.host(['get', 'pvc,statefulsets', ...at, '-o=name'])).toBe('')
    expect(await cli.host(['get', 'pods', ...at, '-o=name'])).not.toContain('light-database')
    expect(await host.etcd.keys(`${(await facts()).prefix}/configmaps/default/kept`)).toHaveLength(
      1,
    )
    expect(await host.etcd.keys('/registry')).toEqual([])
    expect((await host.etcd.names()).filter((name) => !before.includes(name))).toEqual([user, user])
  })

  test('lets kube-apiserver and the pod of vplane reach the etcd, and no etcd of the plane', async () => {
    const policies = await cli.hostJson(['get', 'networkpolicies', ...at])
    const egressOf = (name: string) =>
      policies.items.find(({ metadata }: never) => metadata['name'] === name).spec.egress
    const rule = {
      to: [{ ipBlock: { cidr: `${host.address}/32` } }],
      ports: [{ protocol: 'TCP', port: Number(new URL(host.etcd.endpoint).port) }],
    }

    expect(egressOf('vplane-light-database-egress')).toEqual([rule])
    expect(egressOf('vplane-light-kube-apiserver-egress')).toContainEqual(rule)
    expect(JSON.stringify(policies)).not.toContain('"vplane.dev/component":"etcd"')
  })

  test('reads no byte of another plane with the certificate in its pods, and no pod has that of the owner', async () => {
    const files = await textsOf('vplane-light-kube-apiserver')
    const selected = ['--selector', 'vplane.dev/name=light', '-o=json']
    const objects = await cli.host(['get', 'pods,secrets,configmaps', ...at, ...selected])
    const { 'client-ca.key': authorityKey = '', 'tls.key': rootKey = '' } = await textsOf('owner')
    const connection = await sharedEtcdConnection(
      host.etcd.spec.endpoints,
      {
        certificate: files['shared-etcd_client.crt'] ?? '',
        key: files['shared-etcd_client.key'] ?? '',
        certificateAuthority: files['shared-etcd_authorities.pem'] ?? '',
      },
      NEVER,
    )
    const readAll = (prefix: string) =>
      rangeOverGrpc(connection, { ...prefixRange(prefix), limit: 1, signal: NEVER })

    expect((await readAll((await facts()).prefix)).pairs).toHaveLength(1)
    expect((await rejectionOf(readAll(OWNED.prefix))).message).toContain('permission denied')
    expect((await rejectionOf(readAll(''))).message).toContain('permission denied')
    const ofOwner = [authorityKey, rootKey].map((key) => btoa(key))
    expect(ofOwner.filter((key) => objects.includes(key))).toEqual([])
    expect(objects).not.toContain('"secretName":"owner"')
  })

  test('has a keeper that compacts the etcd, and reads the Secret of the owner by its name alone', async () => {
    const compacted = () => host.etcd.keys('compact_rev_key')
    await expect.poll(compacted, PATIENT).toEqual(['compact_rev_key'])
    const as = `--as=system:serviceaccount:${host.namespace}:vplane-keeper`

    const rights = ['get secrets/owner', 'get secrets', 'get secrets/team-b', 'list secrets']

    expect(await cli.granted(rights, [...at, as])).toEqual(['get secrets/owner'])
  })

  test('keeps its objects over a pause, with several kube-apiservers', async () => {
    await cli.ok(['pause', 'light', ...at])
    expect(await found('pods')).not.toContain('kube-apiserver')
    await cli.ok(['resume', 'light', ...at])
    await cli.ok(['scale', 'light', ...at, '--api-server', '2', '--yes'])

    expect(await kept()).toContain('kept')
    await untilReady()
  })

  test('renews its certificates', async () => {
    const certificate = async () =>
      (await textsOf('vplane-light-kube-apiserver'))['shared-etcd_client.crt']
    const former = await certificate()

    await cli.ok(['certs', 'rotate', 'light', ...at, '--yes'])

    expect(await certificate()).not.toBe(former)
    expect(await cli.ok(['certs', 'check', 'light', ...at])).toContain('shared-etcd/client')
    await expect.poll(kept, PATIENT).toContain('kept')
  })

  test.for([
    ['snapshot', 'create', 'light'],
    ['scale', 'light', '--etcd', '3'],
    ['move', 'light', '--driver', 'local', '--yes'],
    ['adopt', 'light', '--yes'],
    ['delete', 'light', '--keep-data', '--yes'],
    ['set', 'light', 'store.kine.sqlite={}', 'store.etcd-', '--yes'],
    ['upgrade', 'light', '--etcd-version', '3.6.99'],
  ])('refuses "%s %s %s" with what to do instead', async (args) => {
    const { code, stderr } = await cli.run([...args, ...at])

    expect(code, stderr).toBe(2)
    expect(stderr).toContain('hint: ')
  })

  test('uses a user and a prefix that the owner has made, and takes no keys of others', async () => {
    const client = { credentialsSecret: OWNED.user, prefix: OWNED.prefix }
    const file = host.spec({ client })
    const names = await host.etcd.names()

    await cli.ok(['create', 'owned', ...at, '--file', file])
    const again = await cli.run(['create', 'thief', ...at, '--file', file])
    await cli.ok(['delete', 'thief', ...at, '--yes'])

    expect(await host.etcd.names()).toEqual(names)
    expect(again).toMatchObject({ code: 4 })
    expect(again.stderr).toContain(`has keys below ${OWNED.prefix}`)
    expect(await host.etcd.keys(`${OWNED.prefix}/namespaces/default`)).toHaveLength(1)
  })

  test('starts neither without the etcd nor without its keys', async () => {
    await cli.ok(['pause', 'owned', ...at])
    await host.etcd.stop()
    const unreachable = await cli.run(['resume', 'owned', ...at])
    await host.etcd.start()
    await deleteKeys(await host.etcd.as('root'), OWNED.prefix, NEVER)
    const empty = await cli.run(['resume', 'owned', ...at])

    expect(unreachable).toMatchObject({ code: 5 })
    expect(unreachable.stderr).toContain('cannot reach the shared etcd')
    expect(empty).toMatchObject({ code: 7 })
    expect(empty.stderr).toContain('the data of "owned" is missing')
    await cli.ok(['delete', 'owned', ...at, '--yes'])
  })

  test('is deleted with its keys and its user, or says that the etcd does not answer', async () => {
    const { prefix } = await facts()
    await host.etcd.stop()
    const failed = await cli.run(['delete', 'light', ...at, '--yes'])
    const repair = async () => (await cli.run(['repair', 'light', ...at, '--dry-run'])).stderr
    await expect.poll(repair, PATIENT).toContain('cannot reach the shared etcd')
    await host.etcd.start()

    expect(failed).toMatchObject({ code: 5 })
    expect(failed.stderr).toContain(`vplane delete light ${at.join(' ')} --leave-data`)
    await cli.ok(['delete', 'light', ...at, '--yes'])
    expect(await host.etcd.keys(prefix)).toEqual([])
    expect(await host.etcd.names()).toEqual(before)
    expect((await found('all,pvc,secret,networkpolicy')).trim().split('\n')).toEqual([
      'secret/owner',
      `secret/${OWNED.user}`,
    ])
  })

  async function textsOf(secret: string): Promise<Record<string, string>> {
    const { data } = await cli.hostJson(['get', 'secret', secret, ...at])
    const entries = Object.entries(data).map(([key, value]) => [key, atob(String(value))])
    return Object.fromEntries(entries)
  }

  /** The names of the plane in the etcd, of its arguments. */
  async function facts(): Promise<{ prefix: string; user: string }> {
    const deployment = await cli.host([
      'get',
      'deployment',
      'vplane-light-kube-apiserver',
      ...at,
      '-o=json',
    ])
    const [, prefix = ''] = /--etcd-prefix=([^"]+)/.exec(deployment) ?? []
    expect(deployment).toContain('--etcd-compaction-interval=0')
    return { prefix, user: prefix.replace('/vplane/', 'vplane-') }
  }

  function found(kinds: string): Promise<string> {
    return cli.host(['get', kinds, ...at, '-o=name'])
  }

  async function kept(): Promise<string[]> {
    const path = 'jsonpath={.items[*].metadata.name}'
    const { stdout } = await cli.kubectl(['get', 'configmaps', '-o', path])
    return stdout.split(' ')
  }

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'light', ...at, '--json'])
  }

  async function untilReady(): Promise<void> {
    await expect.poll(async () => (await described()).status, PATIENT).toBe('Ready')
  }
})
