import type { ServerResponse } from 'node:http'
import type { Patience } from '../../../src/kube/connection.ts'
import type { WatchOptions } from '../../../src/kube/client/watch.ts'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import type { WatchEvent } from '../../../src/shared/kube/kube-object.ts'
import type { Answerer, FakeApiServer, ReceivedRequest } from './fake-api-server.ts'
import { sendJson, sendStatus, startFakeApiServer } from './fake-api-server.ts'

/** The collection that a fake API server of pods serves. */
export const PODS = '/api/v1/pods'
/** A patience that makes tests short. */
export const QUICK = { retryMs: 1, maxRetryMs: 5, watchRetryMs: 1, maxWatchRetryMs: 5 }

/** What an API server of pods does. */
export interface Pods {
  /** The items of the first list, the second …; the last one stays. @default one without items */
  lists?: object[][]
  /** What happens to the first watch, the second …; the ones after stay silent. */
  watches: Array<(response: ServerResponse) => unknown>
  /** Status of all watches after the last one. @default 200 */
  otherwise?: number
  /** Answers a request itself when it returns true. */
  before?: (request: ReceivedRequest, response: ServerResponse) => boolean
}

/** An API server that knows pods alone, lists them and lets a test write the watches. */
export function startPods(pods: Pods): Promise<FakeApiServer> {
  return startFakeApiServer(answererOf(pods))
}

/** What such a server answers. */
export function answererOf({ before, lists = [[]], otherwise = 200, watches }: Pods): Answerer {
  let listed = 0
  let watched = 0
  return (request, response) => {
    if (before?.(request, response) === true) {
      return
    }
    if (request.query['watch'] === undefined) {
      const items = lists[Math.min(listed, lists.length - 1)] ?? []
      listed += 1
      sendJson(response, podList(items))
      return
    }
    const watch = watches[watched]
    watched += 1
    if (watch === undefined && otherwise !== 200) {
      sendStatus(response, otherwise)
      return
    }
    watch?.(response)
    if (!response.headersSent) {
      response.flushHeaders()
    }
  }
}

/** The first events of a watch, in words. */
export async function take(
  server: FakeApiServer,
  count: number,
  {
    keep,
    metadataOnly,
    onDenied,
    ...patience
  }: Pick<WatchOptions, 'keep' | 'metadataOnly' | 'onDenied'> & Partial<Patience> = {},
): Promise<string[]> {
  await using client = createKubeClient(server.connection, { ...QUICK, ...patience })
  const events: string[] = []
  const options = { signal: AbortSignal.timeout(8000), keep, onDenied, metadataOnly }
  for await (const event of client.watch(PODS, options)) {
    events.push(nameOf(event))
    if (events.length === count) {
      break
    }
  }
  return events
}

/** An event in words: `ADDED a 1`. */
export function nameOf({ object, type }: WatchEvent): string {
  return `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`
}

/** The resource versions from which watches were asked to continue. */
export function versionsWatched({ requests }: FakeApiServer): Array<string | undefined> {
  return requests
    .filter(({ query }) => query['watch'] !== undefined)
    .map(({ query }) => query['resourceVersion'])
}

/** Writes one event of a watch. */
export function say(type: string, object: object): (response: ServerResponse) => void {
  return (response) => void response.write(line({ type, object }))
}

/** An event as a watch sends it. */
export function line(event: object): string {
  return `${JSON.stringify(event)}\n`
}

/** A list as the API serves it: its items have neither kind nor version. */
export function podList(items: object[], metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'PodList',
    metadata: { resourceVersion: '7', ...metadata },
    items,
  }
}

/** A pod at a resource version. */
export function pod(name: string, version: number) {
  return { metadata: { name, uid: `uid-${name}`, resourceVersion: String(version) } }
}
