/** A time as a part of a name, in seconds and UTC: `20260102T030405`. */
export function compactTime(moment: Date): string {
  return moment.toISOString().replaceAll(/[-:]|\..*/g, '')
}
