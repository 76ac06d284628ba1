import { expect, test } from 'vitest'
import {
  DEFAULT_KUBERNETES_VERSION,
  knownKubernetesVersions,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { describeInOwnLab } from '../../lab/describe-lab.ts'
import { startLab } from '../../lab/lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { hostObjects } from '../../support/host/host-objects.ts'

const KNOWN = knownKubernetesVersions()
/** `npm run soak:versions` asks for planes of every version in hosts of every version. */
const IS_ALL = process.env['VPLANE_VERSION_PAIRS'] === 'all'
const HOSTS = IS_ALL ? KNOWN : KNOWN.filter((version) => version !== DEFAULT_KUBERNETES_VERSION)
const PLANES = IS_ALL ? KNOWN : [DEFAULT_KUBERNETES_VERSION]

/** The names of addresses are answered as by a resolver that refuses them. */
const WITHOUT_REVERSE = /in-addr\.arpa ip6\.arpa/

describeInOwnLab('a host cluster', () => {
  test.for(HOSTS.flatMap((host) => PLANES.map((plane) => ({ host, plane }))))(
    'of Kubernetes $host makes a plane of $plane, serves it, and is rid of it',
    { timeout: 3_600_000 },
    async ({ host, plane }) => {
      await using lab = await startLab({ isOwn: true, version: host, planeVersions: [plane] })
      await using cli = await createHostCli({ lab })
      const namespace = cli.newNamespace()

      await cli.ok(['create', 'dev', '--namespace', namespace, '--version', plane, '--connect'])
      const served = await cli.kubectl(['get', 'serviceaccount', 'default', '--output', 'name'])
      await cli.ok(['delete', 'dev', '--namespace', namespace, '--yes'])

      expect(served.stdout, served.stderr).toBe('serviceaccount/default\n')
      expect(cli.processes()).toEqual([])
      expect(await hostObjects(lab, namespace)).toEqual(new Map())
    },
  )

  test(
    'that names no addresses creates planes with one member of etcd and with three',
    { timeout: 3_600_000 },
    async () => {
      await using lab = await startLab({ isOwn: true })
      await using cli = await createHostCli({ lab })
      const namespace = cli.newNamespace()
      await forgetAddresses(cli)

      await cli.ok(['create', 'one', '--namespace', namespace])
      await cli.ok(['create', 'three', '--namespace', namespace, '--set', 'etcd.replicas=3'])
      const selector = ['--selector', 'vplane.dev/component=etcd', '--namespace', namespace]
      await cli.host(['wait', 'pods', ...selector, '--for=condition=Ready', '--timeout=120s'])

      const members = await cli.host(['get', 'pods', ...selector, '--output', 'name'])
      expect(members.split('\n')).toHaveLength(4)
    },
  )
})

/** Switches reverse DNS off in a cluster of the test's own. */
async function forgetAddresses(cli: HostCli): Promise<void> {
  const place = ['--namespace', 'kube-system']
  const read = ['get', 'configmap', 'coredns', ...place, '--output', 'jsonpath={.data.Corefile}']
  const before = await cli.host(read)
  expect(before).toMatch(WITHOUT_REVERSE)
  const Corefile = before.replace(WITHOUT_REVERSE, '')
  const patch = JSON.stringify({ data: { Corefile } })
  await cli.host(['patch', 'configmap', 'coredns', ...place, '--type=merge', '--patch', patch])
  await cli.host(['rollout', 'restart', 'deployment/coredns', ...place])
  await cli.host(['rollout', 'status', 'deployment/coredns', ...place, '--timeout=120s'])
}
