import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { startHostDatabase } from '../../support/databases/host-database.ts'
import { startHostEtcd } from '../../support/databases/host-etcd.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'

const PATIENT = { timeout: 120_000, interval: 250 }

/** A namespace for a plane, whose store exists until it is disposed. */
interface Place extends AsyncDisposable {
  namespace: string
  /** A spec with this store. */
  spec: string
}

describeOnHost('rotations of planes in a host namespace', () => {
  let cli: HostCli

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for<[string, (cli: HostCli) => Promise<Place>]>([
    ['sqlite', sqlitePlace],
    ['PostgreSQL', (of) => startHostDatabase(of, 'postgres')],
    ['MariaDB', (of) => startHostDatabase(of, 'mysql')],
    ['a shared etcd', sharedPlace],
  ])('replace the CAs and the encryption key with %s', async ([, start]) => {
    await using place = await start(cli)
    const at = ['--namespace', place.namespace]
    await cli.ok(['create', 'light', ...at, '--file', place.spec, '--connect'])
    await cli.kubectlOk(['create', 'secret', 'generic', 'hidden', '--from-literal=word=plain'])

    for (const keys of ['rotate-ca', 'rotate-encryption-key']) {
      const stages = ['--stage', 'complete', '--yes', '--json']
      const done = await cli.json(['certs', keys, 'light', ...at, ...stages])
      expect(done).toMatchObject({ changed: true, stages: ['prepare', 'switch', 'complete'] })
    }

    const word = ['get', 'secret', 'hidden', '-o', 'jsonpath={.data.word}']
    await expect
      .poll(() => cli.kubectlOk(word), PATIENT)
      .toBe(Buffer.from('plain').toString('base64'))
    await cli.ok(['delete', 'light', ...at, '--yes'])
  })
})

async function sqlitePlace(cli: HostCli): Promise<Place> {
  await cli.lab.loadKineImage()
  const namespace = await cli.makeNamespace(RESTRICTED)
  const spec = join(dirname(cli.kubeconfig), 'sqlite.yaml')
  writeFileSync(spec, 'store: { kine: { sqlite: {} } }\n')
  return { namespace, spec, [Symbol.asyncDispose]: () => Promise.resolve() }
}

async function sharedPlace(cli: HostCli): Promise<Place> {
  const host = await startHostEtcd(cli)
  return {
    namespace: host.namespace,
    spec: host.spec({ root: { credentialsSecret: 'owner' } }, { encryption: { secrets: true } }),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}
