/** The argument that switches feature gates; none when there are no gates to switch. */
export function featureGates(gates: Readonly<Record<string, boolean>>): Record<string, string> {
  const switches = Object.entries(gates).map(([name, isOn]) => `${name}=${isOn}`)
  return switches.length > 0 ? { 'feature-gates': switches.join(',') } : {}
}
