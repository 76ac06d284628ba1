import type { ConformanceRun } from './conformance-run.ts'

/** How many specs passed in a run, and each that failed, with how it ended on the host alone. */
export function formatRun({ name, onHost, outcomes }: ConformanceRun): string {
  const failed = outcomes.filter(({ state }) => state === 'failed')
  const stateOnHost = new Map(onHost.map((spec) => [spec.name, spec.state]))
  const lines = failed.map(
    (spec) => `- ${spec.name} (on the host alone: ${stateOnHost.get(spec.name) ?? 'not run'})`,
  )
  const passed = outcomes.length - failed.length
  return [`Run ${name}: ${passed} of ${outcomes.length} specs passed`, ...lines].join('\n')
}
