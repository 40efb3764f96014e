import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.TreeMap;
import software.amazon.event.ruler.GenericMachine;

/** Matches events with event-ruler, a round for each line on standard input. Arguments: rules, events, finder. */
public final class Main {
    private interface Matching<E> {
        List<Integer> match(E event) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        String finder = arguments[2];
        // The library has three ways to walk the same machine: the plain one, the array-consistent one (AC) and, since
        // 2.0 in the place of AC unless told otherwise, the structured one.
        GenericMachine<Integer> machine =
            GenericMachine.<Integer>builder().withStructuredMatching(finder.equals("structured")).build();
        long begin = System.nanoTime();
        try (BufferedReader rules = Files.newBufferedReader(Path.of(arguments[0]))) {
            int key = 0;
            for (String rule = rules.readLine(); rule != null; rule = rules.readLine()) {
                machine.addRule(key++, rule);
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(Locale.ROOT, "{\"version\": \"%s\", \"build\": %.6f, \"bytes\": %d}%n", version(), seconds, usedHeap());

        List<String> texts = Files.readAllLines(Path.of(arguments[1]));
        List<JsonNode> nodes = new ArrayList<>();
        List<String[]> fields = new ArrayList<>();
        for (String text : texts) {
            nodes.add(new ObjectMapper().readTree(text));
            fields.add(sortedFields(nodes.get(nodes.size() - 1)));
        }
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        while (orders.readLine() != null) {
            String fromText;
            String parsed;
            if (finder.equals("plain")) {
                fromText = round(texts, machine::rulesForEvent);
                parsed = round(fields, machine::rulesForEvent);
            } else {
                fromText = round(texts, machine::rulesForJSONEvent);
                parsed = round(nodes, machine::rulesForJSONEvent);
            }
            System.out.printf("{\"text + match\": %s, \"match\": %s}%n", fromText, parsed);
        }
    }

    private static <E> String round(List<E> events, Matching<E> matching) throws Exception {
        // The clock of the whole process ticks too coarsely (10 ms) for a round; the collector's threads are left out.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long matches = 0;
        long keys = 0;
        long wall = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();
        for (E event : events) {
            List<Integer> found = matching.match(event);
            matches += found.size();
            for (int key : found) {
                keys += key;
            }
        }
        cpu = threads.getCurrentThreadCpuTime() - cpu;
        wall = System.nanoTime() - wall;
        double each = 1000.0 * events.size();
        return String.format(Locale.ROOT, "{\"matches\": %d, \"keys\": %d, \"cpu\": %.4f, \"wall\": %.4f}",
            matches, keys, cpu / each, wall / each);
    }

    /** Names and values in turn, in the order of the names: what the plain finder takes as a parsed event. */
    private static String[] sortedFields(JsonNode event) {
        TreeMap<String, String> sorted = new TreeMap<>();
        event.fields().forEachRemaining(field -> sorted.put(field.getKey(), field.getValue().asText()));
        List<String> fields = new ArrayList<>();
        sorted.forEach((name, value) -> fields.addAll(List.of(name, value)));
        return fields.toArray(new String[0]);
    }

    private static long usedHeap() throws InterruptedException {
        for (int time = 0; time < 3; time++) {
            System.gc();
            Thread.sleep(50);
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static String version() throws Exception {
        Properties properties = new Properties();
        String place = "/META-INF/maven/software.amazon.event.ruler/event-ruler/pom.properties";
        try (InputStream stream = GenericMachine.class.getResourceAsStream(place)) {
            properties.load(stream);
        }
        return properties.getProperty("version");
    }
}
