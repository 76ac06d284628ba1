import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { objectPath } from '../../../src/shared/kube/collections.ts'
import { diagnose } from '../../../src/drivers/kubernetes/diagnosis/diagnose.ts'
import { KubernetesDriver } from '../../../src/drivers/kubernetes/kubernetes-driver.ts'
import {
  componentSelector,
  recordName,
} from '../../../src/drivers/kubernetes/context/object-names.ts'
import { preflight } from '../../../src/drivers/kubernetes/preflight/preflight.ts'
import { waitUntilGone } from '../../../src/drivers/kubernetes/workloads/wait-until-gone.ts'
import { scaledTo, workloadPath } from '../../../src/drivers/kubernetes/observed/workloads.ts'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { openHostCluster } from '../../../src/kube/host/open-host-cluster.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { packageVersion } from '../../../src/shared/package-root.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import { createTunnels } from '../../../src/tunnel/tunnels.ts'
import { startLab } from '../../lab/lab.ts'
import { describeDriver } from '../../support/contracts/driver-contract.ts'

const TIMEOUT_MS = 300_000

describeDriver('kubernetes', async () => {
  await using stack = new AsyncDisposableStack()
  const lab = stack.use(await startLab())
  const folder = await mkdtemp(join(tmpdir(), 'vplane-contract-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const environment = processEnvironment()
  const host = stack.use(await openHostCluster({ files: [lab.kubeconfigPath], environment }))
  const tunnels = stack.use(
    createTunnels({
      root: folder,
      table: processTableOf(process.platform),
      program: ['false'],
      writtenBy: packageVersion(),
      host: { files: [lab.kubeconfigPath], environment: {} },
    }),
  )
  const driver = new KubernetesDriver({
    host: () => Promise.resolve(host),
    tunnels,
    now: () => new Date(),
    preflight,
    diagnose: (request) => diagnose({ ...request, now: new Date() }),
  })
  const namespace = `contract-${randomBytes(4).toString('hex')}`
  const started = stack.move()
  return {
    driver,
    openApi: (access) => createKubeClient(access),
    host: { namespace },
    // Only a volume outlives the pods that a pause takes away.
    userSpec: { ephemeral: false },
    timeoutMs: TIMEOUT_MS,
    kill: async ({ name }, component) => {
      // The host restarts ended containers, but not what someone scaled down.
      const path = workloadPath({ name, namespace }, component)
      await host.api.patch(path, scaledTo(0), { type: 'merge' })
      await waitUntilGone(host.api, {
        namespace,
        labelSelector: componentSelector(name, component),
        what: `the end of ${component}`,
        timeoutMs: TIMEOUT_MS,
        signal: new AbortController().signal,
      })
    },
    damage: async ({ name }) => {
      const path = objectPath('secrets', { name: recordName(name), namespace })
      const record = Buffer.from('{"formatVersion": 1,').toString('base64')
      await host.api.patch(path, { data: { record } }, { type: 'merge' })
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
})
