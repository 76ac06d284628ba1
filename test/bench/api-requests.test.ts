import { expect, test } from 'vitest'
import { dispatchedIn } from '../../bench/host/api-requests.ts'

const METRICS = `# TYPE apiserver_flowcontrol_dispatched_requests_total counter
apiserver_flowcontrol_dispatched_requests_total{flow_schema="vplane-bench",priority_level="workload-high"} 1204
apiserver_flowcontrol_dispatched_requests_total{flow_schema="vplane-bench",priority_level="exempt"} 3
apiserver_flowcontrol_dispatched_requests_total{flow_schema="service-accounts",priority_level="workload-low"} 99
apiserver_flowcontrol_rejected_requests_total{flow_schema="vplane-bench",priority_level="workload-high"} 7
`

test('counts the dispatched requests of its own FlowSchema', () => {
  expect(dispatchedIn(METRICS)).toBe(1207)
})

test('counts none before the first request', () => {
  expect(dispatchedIn('')).toBe(0)
})
