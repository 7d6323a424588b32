#!/usr/bin/env python3
"""An agent with nothing but the standard library and HTTP.

It asks the knowledge base through Proofline, writes a report, and mends what the report is sent back for.

Settings, all from the environment:
  PROOFLINE_URL, PROOFLINE_TOKEN     the gateway; http://127.0.0.1:8080 without them
  OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL
                                     any endpoint that speaks Chat Completions
  RUN_ID                             the run to go on with; a new one without it
"""

import argparse
import email.utils
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

MAX_TURNS = 20
MAX_ANSWER_BYTES = 16 * 1024 * 1024
USABLE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@=+-]{0,127}")


class Problem(Exception):
    """What an endpoint answers when it does not do what it was asked (RFC 9457)."""

    def __init__(self, status, body, retry_after=None):
        self.status = status
        self.code = body.get("code", f"HTTP {status}")
        self.retryable = bool(body.get("retryable", status >= 500 or status == 429))
        self.text = body.get("text")
        self.retry_after = retry_after
        super().__init__(f"{self.code}: {body.get('detail') or body.get('error') or 'no detail'}")


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The token goes to the gateway, and nowhere that an answer points to."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def request(method, url, body=None, token=None, timeout=90):
    """One request; the status and the bytes of the answer."""
    headers = {"accept": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    data = None
    if body is not None:
        headers["content-type"] = "application/json"
        data = json.dumps(body).encode("utf-8")
    call = urllib.request.Request(url, data=data, headers=headers, method=method)
    try:
        with OPENER.open(call, timeout=timeout) as answer:
            return answer.status, read(answer)
    except urllib.error.HTTPError as error:
        with error:
            raise Problem(error.code, problem_in(read(error)), seconds(error.headers)) from None


def read(answer):
    data = answer.read(MAX_ANSWER_BYTES + 1)
    if len(data) > MAX_ANSWER_BYTES:
        raise ValueError("the answer is too large")
    return data


def problem_in(data):
    try:
        body = json.loads(data)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def seconds(headers):
    """Retry-After: seconds or a date; None without one."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        date = email.utils.parsedate_to_datetime(value)
        return max(0.0, date.timestamp() - time.time())


def repeated(send, times=5):
    """Sends again what may be sent again. It always may: ids make its effect happen once."""
    for attempt in range(times):
        try:
            return send()
        except (Problem, urllib.error.URLError, TimeoutError, ConnectionError) as error:
            status = getattr(error, "status", None)
            passing = status is None or status == 429 or (status >= 500 and error.retryable)
            if not passing or attempt == times - 1:
                raise
            asked = getattr(error, "retry_after", None) or 0
            time.sleep(max(asked, 0.2 * 2**attempt * random.uniform(0.5, 1)))


class Run:
    """One job of the agent, at the gateway."""

    def __init__(self, url, token, run_id):
        self.url, self.token, self.run_id = url.rstrip("/"), token, run_id
        self.attempts = 0

    def lookup(self, query, tool_call_id):
        """What to give the model: the agent view to the letter, or why there is none."""
        body = {"tool_call_id": tool_call_id, "query": query}
        try:
            status, data = self.wait_for("lookups", tool_call_id, body)
        except Problem as problem:
            if problem.code == "PL_STOP_REQUIRED" and problem.text:
                return problem.text["en"]
            if problem.status == 424:
                return f"The lookup failed and cannot be cited: {problem}"
            raise
        return data.decode("utf-8") if status == 200 else "The lookup has no answer yet and cannot be cited."

    def submit(self, draft_json, prompt):
        """What became of the draft: {decision, repair, verified, …}."""
        self.attempts += 1
        draft_id = f"draft-{uuid.uuid4().hex}"
        body = {"draft_id": draft_id, "draft_json": draft_json, "attempt": self.attempts, "prompt": prompt}
        status, data = self.wait_for("drafts", draft_id, body)
        if status != 200:
            raise TimeoutError(f"{draft_id} is not judged yet")
        return json.loads(data)

    def wait_for(self, kind, name, body, rounds=6):
        """Asks, and looks again where the answer takes longer than one request."""
        base = f"{self.url}/v1/runs/{urllib.parse.quote(self.run_id, safe='')}/{kind}"
        status, data = repeated(lambda: request("POST", f"{base}?wait=20", body, self.token))
        for _ in range(rounds):
            if status != 202:
                break
            look = f"{base}/{urllib.parse.quote(name, safe='')}?wait=20"
            status, data = repeated(lambda: request("GET", look, None, self.token))
        return status, data


def chat(messages, tools):
    """One reply of the model."""
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    body = {"model": os.environ.get("OPENAI_MODEL", "gpt-5-mini"), "messages": messages, "tools": tools}
    _, data = request("POST", f"{base}/chat/completions", body, os.environ.get("OPENAI_API_KEY"))
    return json.loads(data)["choices"][0]["message"]


def answer_call(run, call):
    """The tool's answer to one call of the model, which may have written anything as its arguments."""
    name, query = call["function"]["name"], None
    try:
        query = json.loads(call["function"]["arguments"]).get("query")
    except (ValueError, AttributeError):
        pass
    if name != "lookup_knowledge" or not isinstance(query, str):
        content = 'There is one tool, lookup_knowledge, and it takes {"query": "…"}.'
    else:
        named = call["id"] if USABLE_ID.fullmatch(call["id"]) else f"call-{uuid.uuid4().hex}"
        content = run.lookup(query, named)
        say(f"lookup {named}")
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


def run_agent(run, question, system, tool):
    """The decision about the last draft: PUBLISH, or why there is no report."""
    prompt = {"id": system["id"], "version": system["version"], "sha256": system["sha256"]}
    messages = [{"role": "system", "content": system["text"]}, {"role": "user", "content": question}]
    for _ in range(MAX_TURNS):
        message = chat(messages, [tool])
        messages.append(message)
        if message.get("tool_calls"):
            messages += [answer_call(run, call) for call in message["tool_calls"]]
            continue
        result = run.submit(message.get("content") or "", prompt)
        say(f"draft: {result['decision']}")
        if result["decision"] != "REPAIR":
            return result["decision"]
        messages.append({"role": "user", "content": result["repair"]["prompt_en"]})
    return "NO_END"


def say(line):
    print(line, file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description="Asks, writes a report, mends it.")
    parser.add_argument("question", nargs="?", default="The gateway answers 504. What is the cause, and what should be done?")
    parser.add_argument("--system", required=True, help="file of `proofline prompts show system --json`")
    parser.add_argument("--tool", required=True, help="file of `proofline prompts show lookup_knowledge --format openai`")
    options = parser.parse_args()
    with open(options.system, encoding="utf-8") as file:
        system = json.load(file)
    with open(options.tool, encoding="utf-8") as file:
        tool = json.load(file)
    run = Run(
        os.environ.get("PROOFLINE_URL", "http://127.0.0.1:8080"),
        os.environ.get("PROOFLINE_TOKEN"),
        os.environ.get("RUN_ID", f"run-{uuid.uuid4().hex}"),
    )
    decision = run_agent(run, options.question, system, tool)
    print(json.dumps({"run_id": run.run_id, "decision": decision}))
    return 0 if decision == "PUBLISH" else 1


if __name__ == "__main__":
    sys.exit(main())
