import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { startHostDatabase } from '../../support/databases/host-database.ts'
import { startHostEtcd } from '../../support/databases/host-etcd.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { deployment, serverContainer } from '../../support/host/planes/workloads.ts'

/** Where the data of a plane is, until it is disposed. */
interface Place extends AsyncDisposable {
  namespace: string
  /** A file with the spec of the plane. */
  spec: string
}

const PLACES: Record<string, (cli: HostCli) => Promise<Place>> = {
  sqlite: async (cli) => {
    await cli.lab.loadKineImage()
    const spec = join(dirname(cli.kubeconfig), 'sqlite.json')
    writeFileSync(spec, JSON.stringify({ store: { kine: { sqlite: {} } } }))
    const namespace = await cli.makeNamespace(RESTRICTED)
    return { namespace, spec, [Symbol.asyncDispose]: async () => {} }
  },
  PostgreSQL: (cli) => startHostDatabase(cli),
  'a shared etcd': async (cli) => {
    const host = await startHostEtcd(cli)
    const spec = host.spec({ root: { credentialsSecret: 'owner' } })
    return { ...host, spec }
  },
}

/** What a namespace that admits only restricted pods asks of a container. */
const securityContext = {
  runAsNonRoot: true,
  runAsUser: 1000,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

const WEB = deployment('web', { replicas: 2, containers: [serverContainer({ securityContext })] })

describeOnHost('a plane that runs pods, with another store than etcd', () => {
  let cli: HostCli

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for(Object.entries(PLACES))('runs pods, also after a pause: %s', async ([, prepare]) => {
    await using place = await prepare(cli)
    const at = ['light', '--namespace', place.namespace]
    const rollout = ['rollout', 'status', 'deployment/web', '--timeout=120s']
    const podsOnHost = async () => {
      const found = await cli.host(['get', 'pods', '-n', place.namespace, '--output=name'])
      return found.split('\n').filter((name) => name.startsWith('pod/web-'))
    }

    const flags = ['--file', place.spec, '--sync', '--share-namespace']
    await cli.ok(['create', ...at, ...flags, '--connect'])
    await cli.kubectlOk(['apply', '--filename', '-'], { input: JSON.stringify(WEB) })
    await cli.kubectlOk(rollout)
    const running = await podsOnHost()
    await cli.ok(['pause', ...at])
    const paused = await podsOnHost()
    await cli.ok(['resume', ...at])
    await cli.kubectlOk(rollout)
    const logs = await cli.kubectlOk(['logs', 'deployment/web'])
    await cli.ok(['delete', ...at, '--yes'])

    expect(running).toHaveLength(2)
    expect(paused).toEqual([])
    expect(logs).toContain('8080')
    expect(await podsOnHost()).toEqual([])
  })
})
