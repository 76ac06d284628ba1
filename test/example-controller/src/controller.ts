import { CoreV1Api, CustomObjectsApi, type KubeConfig } from '@kubernetes/client-node'
import { type Greeting, GROUP, PLURAL, VERSION } from './greeting.ts'
import { reconcile } from './reconcile.ts'
import { startInformer } from './start-informer.ts'
import { createWorkQueue } from './work-queue.ts'

export interface ControllerOptions {
  namespace: string
  /** Told of everything that failed; it is tried again. */
  onError: (error: unknown) => void
}

/** Starts the controller for the greetings of one namespace; it runs until it is disposed. */
export async function startController(
  config: KubeConfig,
  { namespace, onError }: ControllerOptions,
): Promise<AsyncDisposable> {
  const core = config.makeApiClient(CoreV1Api)
  const custom = config.makeApiClient(CustomObjectsApi)
  const stack = new AsyncDisposableStack()
  const queue = stack.use(
    createWorkQueue((name) => reconcile(config, { namespace, name }), onError),
  )
  stack.use(
    await startInformer<Greeting>(config, {
      path: `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/${PLURAL}`,
      list: () =>
        custom.listNamespacedCustomObject({
          group: GROUP,
          version: VERSION,
          plural: PLURAL,
          namespace,
        }),
      onEvent: ({ metadata }) => queue.add(metadata.name ?? ''),
    }),
  )
  stack.use(
    await startInformer(config, {
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      list: () => core.listNamespacedConfigMap({ namespace }),
      onEvent: ({ metadata }) => {
        const owner = metadata?.ownerReferences?.find(({ kind }) => kind === 'Greeting')
        if (owner !== undefined) {
          queue.add(owner.name)
        }
      },
    }),
  )
  return stack
}
