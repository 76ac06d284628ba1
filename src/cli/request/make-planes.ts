import { parseName } from '../../control-plane/plane/names.ts'
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
  { count, targetOf, ...options }: MakePlanesOptions,
): Promise<MadePlane[]> {
  const { ui } = composition
  const names = Array.from({ length: count }, (_, index) =>
    parseName(`${options.name}-${index + 1}`),
  )
  const made: MadePlane[] = []
  let done = 0
  let next = 0
  let hasFailed = false
  // The steps of planes that are created at once would replace each other.
  const own: Ui = { ...silentUi, note: ui.note.bind(ui), warn: ui.warn.bind(ui) }
  const makeNext = async () => {
    for (let index = next++; index < count && !hasFailed; index = next++) {
      const name = names[index] ?? ''
      try {
        const target = await targetOf(name, index === 0 ? ui : silentUi)
        made[index] = await makePlane({ ...composition, ui: own }, { ...options, name, target })
      } catch (error) {
        hasFailed = true
        throw error
      }
      done += 1
      ui.progress(`${done} of ${count}`)
    }
  }
  ui.step(`Creating ${count} control planes`)
  const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, makeNext))
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') {
    ui.note(`${done} of ${count} control planes exist; the same command continues`)
    throw failed.reason
  }
  return made
}
