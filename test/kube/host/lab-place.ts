import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { type HostCluster, openHostCluster } from '../../../src/kube/host/open-host-cluster.ts'
import { isRecord } from '../../../src/shared/json-fields.ts'
import { parseYaml } from '../../../src/shared/yaml/yaml.ts'
import { AGNHOST_IMAGE } from '../../lab/images/lab-images.ts'
import { startLab } from '../../lab/lab.ts'
import { type Folder, makeFolder } from './kubeconfigs.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

/** A namespace of a real host cluster. */
export interface Place extends AsyncDisposable {
  host: HostCluster
  folder: Folder
  namespace: string
  /** Path of the namespace. */
  path: string
  /** Runs agnhost and returns when it listens on port 8080. */
  run: (name: string, args: string[]) => Promise<void>
  forward: (pod: string, port: number) => Promise<Duplex>
  /** The same cluster, with another user when there are fields of one, and more fields of the cluster. */
  open: (user: object, cluster?: object) => Promise<HostCluster>
}

/** Makes one, which goes with the test. */
export async function makePlace(): Promise<Place> {
  await using stack = new AsyncDisposableStack()
  const lab = stack.use(await startLab())
  const folder = stack.use(await makeFolder())
  const environment = process.env
  const host = stack.use(await openHostCluster({ files: [lab.kubeconfigPath], environment }))
  const { api } = host
  const namespace = `host-${randomBytes(4).toString('hex')}`
  const path = `/api/v1/namespaces/${namespace}`
  stack.defer(async () => {
    await api.delete(path)
  })
  await api.apply(path, object('Namespace', namespace))
  const owned = stack.move()
  return {
    host,
    folder,
    namespace,
    path,
    run: async (name, args) => {
      const container = {
        name: 'c',
        image: AGNHOST_IMAGE,
        imagePullPolicy: 'IfNotPresent',
        args,
        readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
      }
      const spec = { containers: [container], terminationGracePeriodSeconds: 0 }
      await api.apply(`${path}/pods/${name}`, object('Pod', name, { spec }))
      const signal = AbortSignal.timeout(120_000)
      for await (const { object } of api.watch(`${path}/pods`, { signal })) {
        if (isReady(object)) {
          break
        }
      }
    },
    forward: (pod, port) =>
      host.forward({ namespace, pod, port }, { signal: AbortSignal.timeout(30_000) }),
    open: async (user, cluster = {}) => {
      const config = parseYaml(lab.kubeconfig, 'the kubeconfig')
      Object.assign(fieldsIn(config, 'clusters', 'cluster'), cluster)
      if (Object.keys(user).length > 0) {
        const fields = fieldsIn(config, 'users', 'user')
        Object.keys(fields).forEach((name) => delete fields[name])
        Object.assign(fields, user)
      }
      const files = [await folder.write('config', isRecord(config) ? config : {})]
      return openHostCluster({ files, environment })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** An object of the core API. */
export function object(kind: string, name: string, fields: object = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name }, ...fields }
}

/** The fields of the first entry of a list of a kubeconfig. */
function fieldsIn(config: unknown, list: string, kind: string): Record<string, unknown> {
  const entries = isRecord(config) ? config[list] : undefined
  const entry: unknown = Array.isArray(entries) ? entries[0] : undefined
  const fields = isRecord(entry) ? entry[kind] : undefined
  return isRecord(fields) ? fields : {}
}

function isReady({ status }: KubeObject): boolean {
  const conditions = isRecord(status) ? status['conditions'] : undefined
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (condition) =>
        isRecord(condition) && condition['type'] === 'Ready' && condition['status'] === 'True',
    )
  )
}
