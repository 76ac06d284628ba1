import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { describeInOwnLab } from '../../lab/describe-lab.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { startWriter } from '../../support/data/config-map-writer.ts'
import { fillConfigMaps } from '../../support/data/fill-config-maps.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { quietKubectl } from '../../support/data/moves.ts'
import { whoAmI } from '../../support/data/user-info.ts'
import { until } from '../../support/until.ts'
import { type PlaneUser, planeUserIn } from '../../support/driver/plane-requests.ts'

const OBJECTS = 10_000
const AT_ONCE = 24
const HERE = ['dev', '--driver', 'local']
const PASSPHRASE = { env: { VPLANE_PASSPHRASE: 'correct horse' } }

// In their order: one plane goes from place to place.
describeInOwnLab('a plane that is moved', { shuffle: false }, () => {
  let cli: HostCli
  let other: Lab
  let first: string
  let second: string
  let third: string
  let here: string
  const placed = (namespace: string, context = here) => [
    `--namespace=${namespace}`,
    `--host-context=${context}`,
  ]
  const at = (namespace: string, context = here) => ['dev', ...placed(namespace, context)]
  const kubectl = (...words: string[]) => quietKubectl(cli, words)

  beforeAll(async () => {
    cli = await createHostCli()
    other = await startLab({ isOwn: true })
    await addContext(other)
    here = (await kubectl('config', 'current-context')).trim()
    first = cli.newNamespace()
    second = cli.newNamespace()
    third = cli.newNamespace()
    await cli.ok(['create', ...at(first), '--connect'])
    await kubectl('create', 'configmap', 'before')
  })
  afterAll(async () => {
    await other[Symbol.asyncDispose]()
    await cli[Symbol.asyncDispose]()
  })

  test('takes 10000 objects along to another host cluster, and every write, though it was killed', async () => {
    const { ca: certificateAuthority, cert: certificate, key, server } = await userOf(at(first))
    const connection = { server, certificateAuthority, certificate, key }
    await fillConfigMaps(connection, { count: OBJECTS, atOnce: AT_ONCE })
    const token = (await kubectl('create', 'token', 'default')).trim()
    const writer = await startWriter(cli)
    const there = ['--to-context', other.name, '--to-namespace', second]

    const killed = cli.start(['move', ...at(first), ...there, '--yes'])
    await until('the transfer', async () => (await pods(second, other)).includes('etcd'))
    await killed.kill()
    const before = Date.now()
    const moved = await cli.json(['move', ...at(first), '--yes', '--json'])
    const tookMs = Date.now() - before
    const { length } = await writer.soFar()
    await until('another write', async () => (await writer.soFar()).length > length)
    const { taken } = await writer.stop()
    const names = (await kubectl('get', 'configmaps', '-o=name')).split('\n')

    process.stderr.write(`moved ${moved.keys} keys in ${tookMs} ms, ${taken.length} writes\n`)
    expect(moved).toMatchObject({
      moved: true,
      to: { namespace: second, hostContext: other.name },
      context: expect.stringContaining(other.name),
      leftovers: [],
    })
    expect(moved.keys).toBeGreaterThan(OBJECTS)
    expect(names.filter((name) => name.startsWith('configmap/filled-'))).toHaveLength(OBJECTS)
    expect(taken.filter((name) => !names.includes(`configmap/${name}`))).toEqual([])
    expect(await whoIs(at(second, other.name), { token })).toContain(
      'serviceaccount:default:default',
    )
    expect(await cli.host(['get', 'secrets', '--namespace', first, '-o=name'])).not.toContain(
      'vplane',
    )
  })

  test('comes back from its bundle when its host cluster was destroyed, for all who knew it', async () => {
    const there = at(second, other.name)
    const bundle = join(cli.root, 'dev.bundle')
    const token = (await kubectl('create', 'token', 'default')).trim()
    const { ca, cert: certificate, key } = await userOf(there)
    await cli.ok(['snapshot', 'create', ...there, '--bundle', '-o', bundle], PASSPHRASE)

    await other[Symbol.asyncDispose]()
    await cli.ok(['restore', '--from', bundle, ...placed(third)], PASSPHRASE)
    await cli.ok(['disconnect', ...there])
    await cli.ok(['connect', ...at(third)])
    const names = (await kubectl('get', 'configmaps', '-o=name')).split('\n')
    const users = await Promise.all(
      [{ token }, { certificate, key }].map((known) => whoIs(at(third), known, ca)),
    )

    expect(names.filter((name) => name.startsWith('configmap/filled-'))).toHaveLength(OBJECTS)
    expect(users).toEqual([
      expect.stringContaining('serviceaccount:default:default'),
      expect.stringContaining('system:masters'),
    ])
  })

  test('goes to processes of this machine, and stays fenced where it was when that is wanted', async () => {
    const token = (await kubectl('create', 'token', 'default')).trim()

    await cli.ok(['move', ...at(third), '--to-driver', 'local', '--keep-source', '--yes'])
    const planes = async () => (await cli.json(['list', '--json'])).items

    await expect
      .poll(planes, { timeout: 120_000 })
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ driver: 'local', status: 'Ready', connected: true }),
          expect.objectContaining({ namespace: third, status: 'Fenced' }),
        ]),
      )
    expect(await kubectl('get', 'configmap', 'before', '-o=name')).toBe('configmap/before\n')
    expect(await whoIs(HERE, { token })).toContain('serviceaccount:default:default')
    expect(await pods(third)).toBe('')
  })

  /** Adds the context of another host cluster to the kubeconfig, whose current one stays. */
  async function addContext({ kubeconfigPath }: Lab): Promise<void> {
    const KUBECONFIG = [cli.kubeconfig, kubeconfigPath].join(delimiter)
    const { stdout } = await cli.kubectl(['config', 'view', '--flatten'], { env: { KUBECONFIG } })
    writeFileSync(cli.kubeconfig, stdout, { mode: 0o600 })
  }

  function pods(namespace: string, { kubectl: on } = cli.lab): Promise<string> {
    return on(['get', 'pods', '--namespace', namespace, '-o=name'])
  }

  /** Whom a plane takes someone for, who trusts what is said or what the plane says of itself. */
  async function whoIs(
    plane: readonly string[],
    credential: { token: string } | { certificate: string; key: string },
    trusted?: string,
  ): Promise<string> {
    const { ca, server } = await userOf(plane)
    const certificateAuthority = trusted ?? ca
    await using client = createKubeClient({ server, certificateAuthority, ...credential })
    return JSON.stringify(await whoAmI(client))
  }

  async function userOf(plane: readonly string[]): Promise<PlaneUser> {
    return planeUserIn(await cli.ok(['kubeconfig', ...plane, '--embed-credentials']))
  }
})
