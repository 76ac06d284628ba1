import { setTimeout as delay } from 'node:timers/promises'
import {
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node'

const RESTART_MS = 250

export interface InformerOptions<T extends KubernetesObject> {
  path: string
  list: () => Promise<KubernetesListObject<T>>
  onEvent: (object: T) => void
}

/** Tells of everything that happens to objects until it is disposed. The client's own informer ends with an error. */
export async function startInformer<T extends KubernetesObject>(
  config: KubeConfig,
  { list, onEvent, path }: InformerOptions<T>,
): Promise<AsyncDisposable> {
  const stop = new AbortController()
  const informer = makeInformer(config, path, list)
  informer.on('change', onEvent)
  informer.on('delete', onEvent)
  informer.on('error', () => {
    void delay(RESTART_MS, undefined, { signal: stop.signal })
      .then(() => informer.start())
      .catch(() => {})
  })
  await informer.start()
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await informer.stop()
    },
  }
}
