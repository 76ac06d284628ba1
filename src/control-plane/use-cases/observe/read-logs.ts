import { abortOnDispose } from '../../../shared/abort-on-dispose.ts'
import { type AnyComponentName, componentsOf } from '../../plane/plane.ts'
import type { FindDependencies, PlaneSelector } from '../find/find-planes.ts'
import { refuseMissing } from './refuse-missing.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'
import { prefixed } from '../../../shared/text/prefixed.ts'

export interface ReadLogsOptions extends PlaneSelector {
  /** @default all components of the plane */
  component?: AnyComponentName | undefined
  /** Lines from the end of each log. @default all */
  tail?: number | undefined
  follow: boolean
  signal: AbortSignal
}

/** A piece of one component's log: whole lines. */
export interface LogText {
  component: AnyComponentName
  text: string
}

export interface Logs {
  /** The components whose logs are read, in the order of their start. */
  components: readonly AnyComponentName[]
  texts: AsyncIterable<LogText>
}

/**
 * Returns the logs of a plane's components in whole lines: one log after the other, or with `follow` as they are written.
 * With several components, each line begins with the name of its component.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `USAGE` when the plane does not have the component.
 */
export async function readLogs(
  deps: FindDependencies,
  { component, follow, signal, tail, ...selector }: ReadLogsOptions,
): Promise<Logs> {
  const { driver, plane } = await resolvePlane(deps, selector)
  if (component !== undefined) {
    refuseMissing(plane, component, (what) => ({ action: 'logs', plane, what }))
  }
  const components = component === undefined ? componentsOf(plane.spec) : [component]
  return { components, texts: textsOf({ driver, plane }, { components, follow, signal, tail }) }
}

async function* textsOf(
  { driver, plane }: ResolvedPlane,
  { components, follow, signal, tail }: Omit<ReadLogsOptions, 'name'> & Pick<Logs, 'components'>,
): AsyncIterable<LogText> {
  // When the reader stops, vplane stops following.
  using stop = abortOnDispose()
  const either = AbortSignal.any([signal, stop.signal])
  const streams = components.map((component) => {
    const request = { component, follow, ...(tail === undefined ? {} : { tail }) }
    const prefix = components.length > 1 ? `${component}: ` : ''
    return wholeLines(driver.logs(plane, request, either), { component, prefix })
  })
  yield* follow ? merged(streams) : inTurn(streams)
}

async function* inTurn(streams: ReadonlyArray<AsyncIterable<LogText>>): AsyncIterable<LogText> {
  for (const stream of streams) {
    yield* stream
  }
}

/** Yields from all streams whatever comes first, until all have ended. */
async function* merged(streams: ReadonlyArray<AsyncIterable<LogText>>): AsyncIterable<LogText> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]())
  const next = (iterator: AsyncIterator<LogText>) =>
    iterator.next().then((result) => ({ iterator, result }))
  const pending = new Map(iterators.map((iterator) => [iterator, next(iterator)]))
  while (pending.size > 0) {
    const { iterator, result } = await Promise.race(pending.values())
    if (result.done === true) {
      pending.delete(iterator)
    } else {
      pending.set(iterator, next(iterator))
      yield result.value
    }
  }
}

async function* wholeLines(
  chunks: AsyncIterable<string>,
  { component, prefix }: { component: AnyComponentName; prefix: string },
): AsyncIterable<LogText> {
  for await (const text of prefixed(chunks, prefix)) {
    yield { component, text }
  }
}
