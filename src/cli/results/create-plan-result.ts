import type { PlannedPlane } from '../request/plan-plane.ts'

/** What a create would create, in `--json` results: part of the contract in schemas/. */
export interface CreatePlanResult {
  /** Objects in the host cluster, in the order in which they are applied. */
  objects: Array<{ kind: string; name: string }>
  processes: string[]
}

/** A plan as `--json` shows it; empty for a plane that exists. */
export function toCreatePlanResult(plan: PlannedPlane): CreatePlanResult {
  const { existing, objects, processes } = plan
  return existing === undefined ? { objects, processes } : { objects: [], processes: [] }
}
