import { parseName } from '../../control-plane/plane/names.ts'
import { workOnEach } from '../../shared/concurrency/work-on-each.ts'
import { silentUi, type Ui } from '../../shared/ui.ts'
import type { Target } from './choose-target.ts'
import { type MakeDependencies, makePlane, type MakePlaneOptions } from './make-plane.ts'

/** More at once are not faster: their keys need the processor, and a host cluster limits requests. */
const AT_ONCE = 4

interface MakePlanesOptions extends Omit<MakePlaneOptions, 'name' | 'target'> {
  /** The planes are named after it: `NAME-1`. */
  name: string
  count: number
  /** Where one of the planes is created. */
  targetOf: (name: string, ui: Ui) => Promise<Target>
}

type MadePlane = Awaited<ReturnType<typeof makePlane>>

/**
 * Creates several planes of the same spec, a few at a time, and returns them in the order of their names. Those that
 * exist with this spec stay. After a failure it begins no other plane; the same call continues.
 *
 * @throws {VplaneError} what `makePlane` throws.
 */
export async function makePlanes(
  composition: MakeDependencies,
  { count, signal, targetOf, ...options }: MakePlanesOptions,
): Promise<MadePlane[]> {
  const { ui } = composition
  const names = Array.from({ length: count }, (_, index) =>
    parseName(`${options.name}-${index + 1}`),
  )
  // The steps of planes that are created at once would replace each other.
  const own: Ui = { ...silentUi, note: ui.note.bind(ui), warn: ui.warn.bind(ui) }
  const stop = new AbortController()
  let done = 0
  ui.step(`Creating ${count} control planes`)
  const outcomes = await workOnEach<string, MadePlane>(
    names,
    {
      parallel: AT_ONCE,
      signal: AbortSignal.any([signal, stop.signal]),
      onEnd: (outcome) => {
        if (outcome.state === 'done') {
          done += 1
          ui.progress(`${done} of ${count}`)
        } else {
          stop.abort()
        }
      },
    },
    async (name) => {
      const target = await targetOf(name, name === names[0] ? ui : silentUi)
      return makePlane({ ...composition, ui: own }, { ...options, name, target, signal })
    },
  )
  const failed = outcomes.find((outcome) => 'error' in outcome)
  if (failed !== undefined) {
    ui.note(`${done} of ${count} control planes exist; the same command continues`)
    throw failed.error
  }
  signal.throwIfAborted()
  return outcomes.flatMap((outcome) => (outcome.state === 'done' ? [outcome.result] : []))
}
