import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DebugResult } from '../../../src/commands/debug.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { readableIn, textOfArchive } from '../../support/data/debug-archive.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { hostObjects } from '../../support/host/host-objects.ts'

// In their order: the first ones are about one plane.
describeOnHost('render', { shuffle: false }, () => {
  let cli: HostCli
  let at: string[]
  let before: Map<string, string>

  beforeAll(async () => {
    cli = await createHostCli()
    const namespace = await cli.makeNamespace()
    at = ['--namespace', namespace]
    before = await hostObjects(cli.lab, namespace)
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('prints objects from which kubectl creates a plane, which create then leaves unchanged', async () => {
    const manifests = await cli.ok(['render', 'dev', ...at, '--ephemeral', '--show-secrets'])

    const apply = ['--kubeconfig', cli.kubeconfig, 'apply', '--filename', '-']
    const applied = await cli.kubectl(apply, { input: manifests })
    expect(applied.code, applied.stderr).toBe(0)
    await podsMade()
    const made = await contents()
    await cli.ok(['create', 'dev', ...at, '--ephemeral'])

    expect(await contents()).toEqual(made)
    const connect = ['connect', 'dev', ...at, '--', 'kubectl']
    expect((await cli.run([...connect, 'get', 'serviceaccount', 'default'])).code).toBe(0)
  })

  // kubectl keeps all of what it applies in an annotation, of Secrets too.
  test('lets debug show no key of such a plane, and no event of others', async () => {
    const events = ['get', 'events', ...at, '--output', 'name']
    await cli.host(['run', 'theirs', ...at, '--image=nowhere.invalid/theirs'])
    await expect.poll(() => cli.host(events), { timeout: 60_000 }).toContain('event/theirs.')
    const file = join(cli.root, 'debug.tar.gz')
    const described = (): Promise<unknown> => cli.json(['describe', 'dev', ...at, '--json'])
    await expect.poll(described, { timeout: 120_000 }).toMatchObject({ status: 'Ready' })

    const debug = ['debug', 'dev', ...at, '--output', file, '--json']
    const { missing }: DebugResult = await cli.json(debug)
    await cli.host(['delete', 'pod', 'theirs', ...at, '--now'])

    const text = textOfArchive(file)
    const secrets = await secretsOfPlane()
    expect(missing).toEqual([])
    expect(secrets.length).toBeGreaterThan(20)
    expect(readableIn(text, secrets)).toEqual([])
    expect(text).not.toMatch(/PRIVATE KEY|theirs/)
    expect(text).toContain('last-applied-configuration')
    expect(textOfArchive(file, 'etcd.json')).toContain('"isLeading": true')
    expect(textOfArchive(file, 'metrics.txt')).toContain('vplane_kube_apiserver_ready')
    expect(textOfArchive(file, 'host/events.jsonl')).toContain('vplane-dev-etcd-0')
  })

  test('of which delete leaves nothing', async () => {
    await cli.ok(['delete', 'dev', ...at, '--yes'])

    expect(await hostObjects(cli.lab, at[1] ?? '')).toEqual(before)
  })

  test('prints the same of a plane that is there as kubectl finds applied', async () => {
    const there = ['--namespace', cli.newNamespace()]
    await cli.ok(['create', 'dev', ...there, '--no-wait'])

    const manifests = await cli.ok(['render', 'dev', ...there, '--show-secrets'])

    const flags = ['--server-side', '--field-manager=vplane', '--filename', '-']
    // The host changes states between the two looks of kubectl.
    await expect
      .poll(() => cli.kubectl(['diff', ...flags], { input: manifests }), { timeout: 60_000 })
      .toMatchObject({ code: 0, stderr: '', stdout: '' })
  })

  test('prints of a plane that exists what changes none of its objects when it is applied', async () => {
    const there = ['--namespace', cli.newNamespace()]
    await cli.ok(['create', 'dev', ...there])
    const manifests = await cli.ok(['render', 'dev', ...there])
    const objects = await wholeObjects(there)
    const secrets = objects.flatMap(({ kind, name }) => (kind === 'Secret' ? [name] : []))

    const kubectl = ['--kubeconfig', cli.kubeconfig, 'apply', '--filename', '-']
    const applied = await cli.kubectl([...kubectl, '--server-side'], { input: manifests })
    expect(applied.code, applied.stderr).toBe(0)
    expect(await wholeObjects(there)).toEqual(objects)

    // Without --server-side, kubectl adds an annotation, and the host counts that as a generation of a Deployment.
    const patched = await cli.kubectl(kubectl, { input: manifests })
    expect(patched.code, patched.stderr).toBe(0)
    const withoutGenerations = (all: typeof objects) =>
      all.map((object) => ({ ...object, generation: 0 }))
    expect(withoutGenerations(await wholeObjects(there))).toEqual(withoutGenerations(objects))
    expect(secrets).toContain('vplane-dev-ca')
    expect(manifests).not.toContain('kind: "Secret"')
    expect(manifests.split('\n')).toEqual(
      expect.arrayContaining(secrets.map((name) => `#   ${name}`)),
    )
    const connect = ['connect', 'dev', ...there, '--', 'kubectl']
    expect((await cli.run([...connect, 'get', 'namespaces'])).code).toBe(0)
  })

  test('shows no key, and the same text every time, unless it is asked for keys', async () => {
    const words = [`new-${randomBytes(4).toString('hex')}`, '--preset', 'ha']

    const [first, second] = [await cli.ok(['render', ...words]), await cli.ok(['render', ...words])]
    const planned = await cli.ok(['create', ...words, '--dry-run', '--output', 'yaml'])

    expect(first).toBe(second)
    expect(planned).toBe(first)
    expect(first).toContain('kind: "StatefulSet"')
    expect(first).not.toContain('PRIVATE KEY')
  })

  /** Each workload has its one pod: what is compared must not grow meanwhile by what others do. */
  async function podsMade(): Promise<void> {
    const what = ['deployments,statefulsets', '--all', ...at]
    await cli.host(['wait', '--for=jsonpath={.status.replicas}=1', ...what, '--timeout=60s'])
  }

  /** What is said in the objects of a namespace, and how often their specs were changed. */
  async function contents(): Promise<unknown[]> {
    const kinds = 'deployments,statefulsets,services,secrets,configmaps,networkpolicies,pods'
    return (await stored(kinds))
      .filter(({ metadata }) => metadata.name !== 'vplane-dev-record')
      .map(({ data, kind, metadata }) => {
        const { generation, labels, name, uid } = metadata
        return { kind, name, uid, labels, generation, data }
      })
  }

  /** The objects of a plane without their status, and without the record in which vplane notes its own work. */
  async function wholeObjects(place: string[]) {
    const kinds = [
      'deployments,statefulsets,pods,services,networkpolicies,poddisruptionbudgets',
      'secrets,configmaps,serviceaccounts,roles,rolebindings',
    ]
    const items = await stored(kinds.join(','), place)
    return items
      .filter(({ metadata }) => metadata.name !== 'vplane-dev-record')
      .map(({ metadata, ...content }) => {
        const { generation, labels, name, uid } = metadata
        return { ...content, status: undefined, name, uid, labels, generation }
      })
  }

  /** All values of its Secrets but the record, which is the spec and how the plane is. */
  async function secretsOfPlane(): Promise<string[]> {
    const secrets = await stored('secrets')
    return secrets
      .filter(({ metadata }) => metadata.name !== 'vplane-dev-record')
      .flatMap(({ data = {} }) => Object.values(data).map(atob))
  }

  async function stored(kinds: string, place = at): Promise<Stored[]> {
    const { items }: { items: Stored[] } = await cli.hostJson(['get', kinds, ...place])
    return items
  }
})

interface Stored {
  kind: string
  metadata: { name: string; uid: string; generation?: number; labels?: object }
  data?: Record<string, string>
  status?: unknown
}
