import type { ObjectCache } from '../../kube/cache/object-cache.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import { WorkQueue } from '../../kube/cache/work-queue.ts'
import { kubeletPortOf } from '../nodes/kubelet-ports.ts'

export interface NodeServersOptions {
  nodes: ObjectCache
  firstPort: number
  serve: (node: string, port: number) => Promise<AsyncDisposable>
  onError: (what: string, error: unknown) => void
}

/** Serves the kubelet of every existing node of the plane, on the port in the node's status. */
export function serveNodes(options: NodeServersOptions): AsyncDisposable {
  const { firstPort, nodes, onError, serve } = options
  const stop = new AbortController()
  const servers = new Map<string, { port: number; server: AsyncDisposable }>()
  const close = async (name: string) => {
    const served = servers.get(name)
    servers.delete(name)
    await served?.server[Symbol.asyncDispose]()
  }
  const queue = new WorkQueue<string>({
    work: async (name) => {
      const node = nodes.get(toObjectKey({ name }))
      const port = node === undefined ? undefined : kubeletPortOf(node, firstPort)
      if (servers.get(name)?.port === port) {
        return
      }
      await close(name)
      if (port !== undefined) {
        servers.set(name, { port, server: await serve(name, port) })
      }
    },
    onError: (name, error) => onError(`kubelet of node "${name}"`, error),
  })
  nodes.onChange(({ metadata }) => queue.add(metadata.name ?? ''))
  for (const { metadata } of nodes.values()) {
    queue.add(metadata.name ?? '')
  }
  const ended = queue.run(stop.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await ended
      await Promise.all([...servers.keys()].map(close))
    },
  }
}
