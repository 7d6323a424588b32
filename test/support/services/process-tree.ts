import { spawnSync } from 'node:child_process';

interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** It ended, and only its parent has not asked for it yet. */
  readonly zombie: boolean;
}

/** Nothing where there is no `ps`. */
function listProcesses(): ListedProcess[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return ((stdout as string | null) ?? '').split('\n').map((line) => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), zombie: state.startsWith('Z') };
  });
}

/** The process and all that descend from it, parents first. Only itself where they cannot be listed. */
export function processTree(pid: number): number[] {
  const listed = listProcesses();
  const tree = [pid];
  for (const each of tree)
    tree.push(...listed.filter(({ parent, zombie }) => parent === each && !zombie).map((child) => child.pid));
  return tree;
}

export function anyAlive(pids: readonly number[]): boolean {
  if (!pids.some((pid) => sendSignal(pid, 0))) return false;
  return listProcesses().some(({ pid, zombie }) => pids.includes(pid) && !zombie);
}

/** False when there is no such process (any more). A negative pid means a process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
