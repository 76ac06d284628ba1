import { type AnyComponentName, componentsOf, type Plane } from '../../plane/plane.ts'
import type { FindDependencies, PlaneSelector } from '../find/find-planes.ts'
import { refuseMissing } from './refuse-missing.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'
import { prefixed } from '../../../shared/text/prefixed.ts'

export interface ReadLogsOptions extends PlaneSelector {
  /** @default all that the plane has */
  component?: AnyComponentName | undefined
  /** Lines from the end of each. @default all */
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
  /** Those whose logs are read, in the order of their start. */
  components: readonly AnyComponentName[]
  texts: AsyncIterable<LogText>
}

/**
 * The logs of a plane's components: one after the other, or with `follow` as they are written, in whole lines.
 * With several components each line says whose it is.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `USAGE` when the plane has no such component.
 */
export async function readLogs(
  deps: FindDependencies,
  { component, follow, signal, tail, ...selector }: ReadLogsOptions,
): Promise<Logs> {
  const { driver, plane } = await resolvePlane(deps, selector)
  const components = chosen(plane, component)
  return { components, texts: textsOf({ driver, plane }, { components, follow, signal, tail }) }
}

function chosen(
  plane: Plane,
  component: AnyComponentName | undefined,
): readonly AnyComponentName[] {
  if (component === undefined) {
    return componentsOf(plane.spec)
  }
  refuseMissing(plane, component, (what) => ({ action: 'logs', plane, what }))
  return [component]
}

async function* textsOf(
  { driver, plane }: ResolvedPlane,
  {
    components,
    follow,
    signal,
    tail,
  }: Pick<ReadLogsOptions, 'follow' | 'signal' | 'tail'> & Pick<Logs, 'components'>,
): AsyncIterable<LogText> {
  // Whoever stops reading ends what follows.
  using stop = abortedAtTheEnd()
  const either = AbortSignal.any([signal, stop.signal])
  const prefixOf = (component: AnyComponentName) => (components.length > 1 ? `${component}: ` : '')
  const streams = components.map((component) => {
    const request = { component, follow, ...(tail === undefined ? {} : { tail }) }
    return wholeLines(driver.logs(plane, request, either), {
      component,
      prefix: prefixOf(component),
    })
  })
  yield* follow ? merged(streams) : inTurn(streams)
}

function abortedAtTheEnd(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() }
}

async function* inTurn(streams: ReadonlyArray<AsyncIterable<LogText>>): AsyncIterable<LogText> {
  for (const stream of streams) {
    yield* stream
  }
}

/** Whatever comes first from any of the streams, until all have ended. */
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

/** The text of a component, each line as a whole. */
async function* wholeLines(
  chunks: AsyncIterable<string>,
  { component, prefix }: { component: AnyComponentName; prefix: string },
): AsyncIterable<LogText> {
  for await (const text of prefixed(chunks, prefix)) {
    yield { component, text }
  }
}
