import { quotedPlane } from './created-lines.ts'
import type { PlannedPlane } from '../request/plan-plane.ts'
import { versionWords } from './version-words.ts'

/** What `create --dry-run` says to people. */
export function createPlanLines(plan: PlannedPlane): string[] {
  const { existing, objects, place, processes, spec } = plan
  const { driver, hostContext, name, namespace } = place
  if (existing !== undefined) {
    return [
      `${quotedPlane(place)} exists with the same spec. Only what does not run would be started.`,
    ]
  }
  const created = plan.createsNamespace ? ', created if it is missing' : ''
  const facts: Array<[string, string | false | undefined]> = [
    ['Driver', driver],
    ['Host', hostContext],
    ['Namespace', namespace && `${namespace}${created}`],
    ['Version', versionWords(spec)],
    ['Data', plan.usesKeptData === true && 'what "delete --keep-data" kept'],
    ['CRDs', plan.crdCount > 0 && String(plan.crdCount)],
    ['Status', plan.isPaused && 'paused: nothing of it runs until its first use'],
    ['Processes', processes.length > 0 && processes.join(', ')],
    ['Objects', objects.length > 0 && String(objects.length)],
  ]
  return [
    `Would create "${name}":`,
    ...facts.flatMap(([label, value]) =>
      value === undefined || value === false || value === ''
        ? []
        : [`  ${`${label}:`.padEnd(12)}${value}`],
    ),
    ...objectLines(objects),
  ]
}

/** The names of the objects, a line for each kind. */
function objectLines(objects: PlannedPlane['objects']): string[] {
  const kinds = [...new Set(objects.map(({ kind }) => kind))]
  const width = Math.max(...kinds.map((kind) => kind.length)) + 2
  return kinds.map((kind) => {
    const names = objects.flatMap((object) => (object.kind === kind ? [object.name] : []))
    return `    ${kind.padEnd(width)}${names.join(', ')}`
  })
}
