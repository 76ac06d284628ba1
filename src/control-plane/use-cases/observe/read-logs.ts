import type { LogLines } from '../../driver/driver.ts'
import { abortOnDispose } from '../../../shared/abort-on-dispose.ts'
import { type AnyComponentName, componentsOf } from '../../plane/plane.ts'
import type { FindDependencies, PlaneSelector } from '../find/find-planes.ts'
import { refuseMissing } from './refuse-missing.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'
import { linesOf } from '../../../shared/text/whole-lines.ts'

export interface ReadLogsOptions extends PlaneSelector {
  /** @default all components of the plane */
  component?: AnyComponentName | undefined
  /** Lines from the end of each log. @default all */
  tail?: number | undefined
  /** Only lines of the last milliseconds. @default all */
  sinceMs?: number | undefined
  follow: boolean
  signal: AbortSignal
}

export interface ComponentLines extends LogLines {
  component: AnyComponentName
}

export interface Logs {
  /** The components whose logs are read, in the order of their start. */
  components: readonly AnyComponentName[]
  lines: AsyncIterable<ComponentLines>
}

/**
 * Returns the logs of a plane's components in whole lines: one log after the other, or with `follow` as they are written.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `USAGE` when the plane does not have the component.
 */
export async function readLogs(
  deps: FindDependencies,
  { component, follow, signal, sinceMs, tail, ...selector }: ReadLogsOptions,
): Promise<Logs> {
  const { driver, plane } = await resolvePlane(deps, selector)
  if (component !== undefined) {
    refuseMissing(plane, component, (what) => ({ action: 'logs', plane, what }))
  }
  const components = component === undefined ? componentsOf(plane.spec) : [component]
  const options = { components, follow, signal, sinceMs, tail }
  return { components, lines: readLines({ driver, plane }, options) }
}

/** The lines for people: each begins with its component, if that is given, and with its pod if there are several. */
export function labelled(
  { isOneOfSeveral = false, pod, text }: LogLines,
  component?: AnyComponentName,
): string {
  const labels = [component, isOneOfSeveral ? pod : undefined]
  const prefix = labels.map((label) => (label === undefined ? '' : `${label}: `)).join('')
  return linesOf(text)
    .map((line) => `${prefix}${line}\n`)
    .join('')
}

async function* readLines(
  { driver, plane }: ResolvedPlane,
  {
    components,
    signal,
    ...request
  }: Omit<ReadLogsOptions, 'name' | 'component'> & Pick<Logs, 'components'>,
): AsyncIterable<ComponentLines> {
  // When the reader stops, vplane stops following.
  using stop = abortOnDispose()
  const either = AbortSignal.any([signal, stop.signal])
  const streams = components.map((component) =>
    linesWith(component, driver.logs(plane, { ...request, component }, either)),
  )
  yield* request.follow ? merged(streams) : inTurn(streams)
}

async function* inTurn(
  streams: ReadonlyArray<AsyncIterable<ComponentLines>>,
): AsyncIterable<ComponentLines> {
  for (const stream of streams) {
    yield* stream
  }
}

/** Yields from all streams whatever comes first, until all have ended. */
async function* merged(
  streams: ReadonlyArray<AsyncIterable<ComponentLines>>,
): AsyncIterable<ComponentLines> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]())
  const next = (iterator: AsyncIterator<ComponentLines>) =>
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

async function* linesWith(
  component: AnyComponentName,
  lines: AsyncIterable<LogLines>,
): AsyncIterable<ComponentLines> {
  for await (const some of lines) {
    yield { ...some, component }
  }
}
