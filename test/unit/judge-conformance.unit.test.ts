import { cachedJudge } from '../../src/judge/cached.js';
import { createChatJudge } from '../../src/judge/chat/chat-judge.js';
import { limitedJudge } from '../../src/judge/limited.js';
import { memoryJudge } from '../../src/judge/memory.js';
import { judgeAccessDefaults } from '../../src/judge/access.js';
import { openJudge } from '../../src/judge/open-judge.js';
import { describeJudge, type JudgeSubject } from '../conformance/judge.js';
import { opinionOnAll, says, saysOfAll, startScriptedJudge } from '../support/scripted-judge.js';
import type { Judge } from '../../src/judge/judge.js';

function inMemory(around: (judge: Judge) => Judge): () => Promise<JudgeSubject> {
  return () => {
    let said: unknown = null;
    const judge = memoryJudge((_, statements) => said ?? opinionOnAll(statements.length, 'yes'));
    return Promise.resolve({
      judge: around(judge),
      saying: (opinion) => (said = opinion),
      dispose: () => Promise.resolve(),
    });
  };
}

describeJudge(
  'memory',
  inMemory((judge) => judge),
);
describeJudge(
  'memory, remembered',
  inMemory((judge) => cachedJudge(judge, 3)),
);
describeJudge(
  'memory, two at a time',
  inMemory((judge) => limitedJudge(judge, 2)),
);

function behindHttp(open: (url: string) => Judge): () => Promise<JudgeSubject> {
  return async () => {
    const endpoint = await startScriptedJudge(saysOfAll('yes'));
    return {
      judge: open(endpoint.url),
      saying: (opinion) => endpoint.play(says(opinion)),
      dispose: () => endpoint.close(),
    };
  };
}

describeJudge(
  'chat',
  behindHttp((url) => createChatJudge({ url, model: 'scripted' })),
);
describeJudge(
  'chat, as a line opens it',
  behindHttp((url) =>
    openJudge({
      ...judgeAccessDefaults,
      url,
      model: 'scripted',
      key: 'secret-key',
      timeoutMs: 5_000,
      callsPerHour: 1_000,
      tokensPerHour: 10_000_000,
    }),
  ),
);
