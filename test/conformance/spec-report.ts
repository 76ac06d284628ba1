/** How a spec of Kubernetes' tests ended. */
export interface SpecOutcome {
  /** With its containers: `[sig-apps] Deployment should run the lifecycle of a Deployment [Conformance]`. */
  name: string
  state: 'passed' | 'failed'
  /** What the failure says, and undefined for a spec that passed. */
  message?: string
}

/** What is read of a report of Ginkgo in JSON (ginkgo/v2 types.Report). */
interface GinkgoReport {
  SpecReports: Array<{
    ContainerHierarchyTexts: string[] | null
    LeafNodeType: string
    LeafNodeText: string
    State: string
    Failure?: { Message?: string }
  }>
}

/** The specs that ran, of a report of Ginkgo in JSON. Specs that were not selected or skipped themselves are left out. */
export function readSpecReport(json: string): SpecOutcome[] {
  const reports: GinkgoReport[] = JSON.parse(json)
  const specs = reports.flatMap(({ SpecReports }) => SpecReports)
  return specs.flatMap((spec): SpecOutcome[] => {
    if (spec.LeafNodeType !== 'It' || ['skipped', 'pending', ''].includes(spec.State)) {
      return []
    }
    const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ')
    return spec.State === 'passed'
      ? [{ name, state: 'passed' }]
      : [{ name, state: 'failed', message: spec.Failure?.Message ?? spec.State }]
  })
}
